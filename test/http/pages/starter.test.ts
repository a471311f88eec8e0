import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { graphKind } from '../../../src/component/provenance.js';
import { STARTER } from '../../../src/component/source.js';
import { Starter } from '../../../src/demo/starter.js';
import { NODE } from '../../support/demo-app.js';
import { VOCABULARY } from '../../support/registry.js';
import { component } from '../../support/registry-app.js';
import { createStarterApp, MODULE, type StarterApp, writeSet } from '../../support/starter-app.js';

const URI = `${NODE}/starter/one.js`;
const list = async ({ app }: StarterApp) =>
  (await (await app.request('/component')).json()) as { uri: string; shapes: string[]; label: string }[];
const page = async ({ app }: StarterApp, path: string) =>
  (await app.request(path, { headers: { accept: 'text/html' } })).text();
const post = ({ app }: StarterApp, starter: string) =>
  app.request(`${NODE}/starter`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: NODE },
    body: new URLSearchParams({ starter }).toString(),
  });
const restarted = (test: StarterApp, write: 'off' | 'open' = 'open', baseUrl = NODE) =>
  new Starter({
    ...{ config: { baseUrl, write }, vocabulary: VOCABULARY },
    ...{ registry: test.registry, packageFolder: test.packageFolder },
  });

describe('the starter set', () => {
  it('is listed by a click, with addresses at the node, and gone by another', async () => {
    const test = await createStarterApp();
    await test.registry.upsertLocal([component('https://own.example/own.js', { label: 'Own' })]);
    expect(await page(test, '/starter')).toContain('List the starter set');
    expect((await post(test, 'show')).headers.get('location')).toBe('/starter');
    const [shown] = await list(test);
    expect(shown).toMatchObject({ uri: URI, shapes: [`${NODE}/starter/shapes/one.ttl#One`] });
    expect(await page(test, '/starter')).toContain('some-form 1.2.3 (MIT)');
    expect(await page(test, '/')).toContain('<button>Remove it</button>');
    const about = `/c/${encodeURIComponent(URI)}`;
    for (const path of [about, `/why?uri=${encodeURIComponent(URI)}`])
      expect((await page(test, path)).toLowerCase(), path).toContain('the starter set that comes with');
    expect((await post(test, 'remove')).status).toBe(303);
    expect((await list(test)).map(({ uri }) => uri)).toEqual(['https://own.example/own.js']);
    expect((await test.registry.sources()).map(({ source }) => source.kind)).toEqual(['local']);
    expect((await test.app.request('/starter/one.js')).status).toBe(404);
  });

  it('is offered by an empty node', async () => {
    const test = await createStarterApp();
    expect(await page(test, '/')).toContain('List the starter set');
    expect(await page(await createStarterApp('off'), '/')).toContain('<code>--starter</code>');
  });

  it('stands back behind whatever anybody else says, and is taken by no other node', async () => {
    const test = await createStarterApp();
    await test.starter.show();
    await test.say({ kind: 'peer', url: 'https://peer.example' }, [component(URI, { label: 'Theirs' })]);
    expect((await list(test)).map(({ label }) => label)).toEqual(['Theirs']);
    expect(graphKind(STARTER.url)).toBe('taken');
  });

  it('has its files from the node: for every origin, with their hash as validator', async () => {
    const test = await createStarterApp();
    await test.starter.show();
    const answer = await test.app.request('/starter/one.js?for=anything');
    expect([await answer.text(), answer.headers.get('content-type')]).toEqual([
      MODULE,
      'text/javascript; charset=utf-8',
    ]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const etag = answer.headers.get('etag') ?? '';
    const again = await test.app.request('/starter/one.js', { headers: { 'if-none-match': etag } });
    expect([etag.slice(0, 8), again.status]).toEqual(['"sha384-', 304]);
    for (const name of ['starter.json', '../package.json', '__proto__', 'one.js/']) {
      expect((await test.app.request(`/starter/${name}`)).status, name).not.toBe(500);
    }
    expect((await test.app.request('/starter/starter.json')).status).toBe(404);
  });

  it('is shown again after a restart, at another address, unless it was removed or nobody may write', async () => {
    const test = await createStarterApp();
    await test.starter.show();
    await restarted(test, 'open', 'http://localhost:4000').open(false);
    expect((await list(test)).map(({ uri }) => uri)).toEqual([URI.replace(':3000', ':4000')]);
    await restarted(test, 'off').open(false);
    expect(await list(test)).toEqual([]);
    await restarted(test, 'off').open(true);
    expect(await list(test)).toHaveLength(1);
  });

  it('is forgotten when its files are gone, and says what is wrong with others', async () => {
    const test = await createStarterApp();
    await test.starter.show();
    await writeSet(test.packageFolder, [{ label: '' }]);
    await expect(restarted(test).open(true)).rejects.toThrow(
      `a description of ${URI} that is none: label must not be empty`,
    );
    await rm(new URL('starter/dist/', test.packageFolder), { recursive: true });
    const without = restarted(test);
    await without.open(false);
    expect([await without.isBuilt(), without.shown, await list(test)]).toEqual([false, undefined, []]);
  });
});
