import { beforeEach, describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { browse } from '../../../support/explorer-pages.js';
import { postJson } from '../../../support/node/post-json.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PERSON = 'http://xmlns.com/foaf/0.1/Person';
const [GOOD, DEAD, CHANGED, NEW] = ['good', 'dead', 'changed', 'new'].map(
  (name) => `https://c.example/${name}.js`,
) as [string, string, string, string];
const LOOKED_AT = Date.UTC(2026, 0, 1, 11);

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
  const all = [GOOD, DEAD, CHANGED, NEW].map((uri) =>
    component(uri, { label: `Card ${uri}`, version: '1.0.0', shapes: [PERSON], tag: ['card'] }),
  );
  await app.say(POD, all);
  const seen = {
    version: '1.0.0',
    source: POD,
    document: POD.url,
    since: 1,
    checked: LOOKED_AT,
    size: 12_345,
  };
  const pin = (uri: string, last: string) => ({
    ...seen,
    uri,
    first: 'sha384-a',
    last,
    ...(last === 'sha384-a' ? {} : { changedAt: 2 }),
  });
  await app.registry.pins.change([pin(GOOD, 'sha384-a'), pin(CHANGED, 'sha384-b')], (one) => one);
  app.node.failingModules = [{ uri: DEAD, error: 'the module answers 404', at: LOOKED_AT, failures: 1 }];
});

const words = async (path: string) => {
  const page = await (await browse(app, path)).text();
  return page
    .replace(/^.*<main[^>]*>|<\/main>.*$/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(' ,', ',')
    .replaceAll(' :', ':');
};
const REACHABLE = 'module reachable, bytes as pinned, 12.3 kB, looked at 2026-01-01 11:00:00 UTC';

describe('the health of a module', () => {
  test('stands on the page of the component, above the fold where nothing can be shown with it', async () => {
    const of = (uri: string) => words(`/c/${encodeURIComponent(uri)}`);
    expect(await of(GOOD)).toContain(REACHABLE);
    expect(await of(GOOD)).not.toContain('cannot be had');
    expect(await of(DEAD)).toMatch(
      /The module of this component cannot be had: the module answers 404, .* Pages that use it show nothing.*Renders/,
    );
    expect(await of(CHANGED)).toContain('The bytes of this module have changed');
    expect(await of(NEW)).toContain('module not looked at');
  });

  test('moves the tag of that page, which no revision does', async () => {
    const tag = async () => (await browse(app, `/c/${encodeURIComponent(DEAD)}`)).headers.get('etag');
    const before = await tag();
    app.node.failingModules = [];
    expect(await tag()).not.toBe(before);
  });

  test('ranks down what no host could run', async () => {
    const answer = await app.app.request('/match', postJson({ types: [PERSON] }));
    const matches = (await answer.json()) as { because: { code: string }[] }[];
    expect(matches.map(({ because }) => because.at(-1)?.code).slice(2)).toEqual(['changed', 'dead']);
  });
});
