import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDemoApp, type DemoApp, NODE } from '../../support/demo-app.js';
import { browse } from '../../support/explorer-pages.js';
import { component, createTestApp, TOKEN } from '../../support/registry-app.js';

const ANN = '/demo/data/ann.ttl';
const CHANGED = '<#me> <http://xmlns.com/foaf/0.1/name> "Ann Other".';

let demo: DemoApp;
beforeEach(async () => {
  demo = await createDemoApp();
  await demo.samples.show();
});

const ask = (path: string, init: RequestInit = {}, of = demo) => of.app.request(NODE + path, init);
const put = (body: string, headers: Record<string, string> = {}, path = ANN, of = demo) =>
  ask(path, { method: 'PUT', body, headers: { 'content-type': 'text/turtle', ...headers } }, of);
const click = (wanted: string, headers: Record<string, string> = {}, of = demo) =>
  ask(
    '/demo',
    {
      method: 'POST',
      body: `samples=${wanted}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    },
    of,
  );
const textOf = async (path: string, of = demo) => (await ask(path, {}, of)).text();

/** As the node's own form is sent: its pages send no referrer, so the browser says no origin. */
const OWN_FORM = { origin: 'null', 'sec-fetch-site': 'same-origin' };

describe('what is served', () => {
  it.each([
    ['/demo/profile-card.js', 'text/javascript; charset=utf-8', 'class ProfileCard'],
    ['/demo/profile-card.ttl', 'text/turtle; charset=utf-8', '<profile-card.js>'],
    [ANN, 'text/turtle', 'Ann Author'],
  ])('%s, to pages of any site', async (path, type, text) => {
    const answer = await ask(path, { headers: { origin: 'https://app.example' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toContain(text);
    const etag = answer.headers.get('etag') ?? '';
    expect((await ask(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it.each([
    '/demo/nothing.js',
    '/demo/data/nothing.ttl',
    '/demo/data/..%2fprofile-card.js',
    '/demo/../package.json',
    '/demo/data/',
  ])('nothing at %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('nothing while the samples are not shown', async () => {
    await demo.samples.remove();
    for (const path of ['/demo/profile-card.js', ANN]) expect((await ask(path)).status).toBe(404);
    expect((await put(CHANGED)).status).toBe(404);
  });
});

describe('data that is written', () => {
  it('is there afterwards, with another tag', async () => {
    const before = (await ask(ANN)).headers.get('etag') ?? '';
    const answer = await put(CHANGED, { 'if-match': before, origin: NODE, 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('etag')).not.toBe(before);
    expect(await textOf(ANN)).toBe(CHANGED);
    expect((await ask(ANN)).headers.get('etag')).toBe(answer.headers.get('etag'));
  });

  it('does not overwrite what the writer has not seen', async () => {
    const before = (await ask(ANN)).headers.get('etag') ?? '';
    const both = await Promise.all(
      ['"a"', '"b"'].map((name) => put(`<> <urn:is> ${name}.`, { 'if-match': before })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([204, 412]);
    expect((await put(CHANGED, { 'if-none-match': '*' })).status).toBe(412);
  });

  it.each([
    ['other types', { 'content-type': 'text/javascript' }, CHANGED, 415],
    ['HTML', { 'content-type': 'text/html' }, '<script>alert(1)</script>', 415],
    ['what is not Turtle', {}, 'alert(1)', 400],
    ['what is too large', {}, `# ${'x'.repeat(65_536)}`, 413],
    ['too many triples', {}, Array.from({ length: 1001 }, (_, i) => `<#${i}> a <#x>.`).join('\n'), 400],
  ] as const)('is refused: %s', async (_, headers, body, status) => {
    const before = await textOf(ANN);
    expect((await put(body, headers)).status).toBe(status);
    expect(await textOf(ANN)).toBe(before);
  });

  it('is never a module, a description or a new document', async () => {
    expect((await put(CHANGED, {}, '/demo/profile-card.js')).status).toBe(405);
    expect((await put(CHANGED, {}, '/demo/data/new.ttl')).status).toBe(404);
  });

  it('is answered with 507 where it cannot be stored, and stays as it was', async () => {
    // A folder where the file has to go.
    await mkdir(join(demo.dataDir, 'samples', 'ann.ttl.new'), { recursive: true });
    expect((await put(CHANGED)).status).toBe(507);
    expect(await textOf(ANN)).toContain('Ann Author');
  });
});

describe('who may change it', () => {
  it('with write: open, nobody from another website', async () => {
    const strangers: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of strangers) {
      expect([headers, (await put(CHANGED, headers)).status]).toEqual([headers, 403]);
      expect([headers, (await click('remove', headers)).status]).toEqual([headers, 403]);
    }
    expect(demo.samples.shown).toBeDefined();
    expect(await textOf(ANN)).toContain('Ann Author');
    const preflight = await ask(ANN, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS');
  });

  it('with write: operator, whoever has the token', async () => {
    const guarded = await createDemoApp('operator');
    await guarded.samples.show();
    const token = { authorization: `Bearer ${TOKEN}` };
    expect((await put(CHANGED, {}, ANN, guarded)).status).toBe(401);
    expect((await put(CHANGED, { authorization: 'Bearer another' }, ANN, guarded)).status).toBe(403);
    expect((await put(CHANGED, token, ANN, guarded)).status).toBe(204);
    expect((await click('remove', OWN_FORM, guarded)).status).toBe(401);
    expect((await click('remove', token, guarded)).status).toBe(303);
    expect(guarded.samples.shown).toBeUndefined();
  });

  it('with write: off, nobody: the methods do not exist', async () => {
    const closed = await createDemoApp('off');
    await closed.samples.show();
    const answer = await put(CHANGED, {}, ANN, closed);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await click('remove', OWN_FORM, closed)).status).toBe(405);
  });
});

describe('the button', () => {
  it('shows and removes the samples, for the forms of the node and for programs', async () => {
    const removed = await click('remove', OWN_FORM);
    expect([removed.status, removed.headers.get('location')]).toEqual([303, '/']);
    expect(demo.samples.shown).toBeUndefined();
    const shown = await click('show');
    expect([shown.status, shown.headers.get('location')]).toEqual([303, '/demo']);
    expect(demo.samples.shown).toBeDefined();
    expect((await click('burn')).status).toBe(422);
  });

  const page = async (of: DemoApp, path = '/') => (await browse(of, NODE + path)).text();

  it('asks before it removes data that was changed, and removes the samples at once otherwise', async () => {
    await put(CHANGED);
    const asked = await click('ask', OWN_FORM);
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/demo?remove=ask']);
    expect(await textOf(ANN)).toBe(CHANGED);
    const question = await page(demo, '/demo?remove=ask');
    expect(question).toContain('Somebody has changed their data here. That goes with them');
    expect(question).toContain('value="remove"><button>Remove them and what was changed</button>');
    expect(await page(demo, '/demo')).not.toContain('Somebody has changed');
    expect((await click('remove', OWN_FORM)).headers.get('location')).toBe('/');
    await demo.samples.show();
    expect(await textOf(ANN)).toContain('Ann Author');
    expect((await click('ask', OWN_FORM)).headers.get('location')).toBe('/');
    expect(demo.samples.shown).toBeUndefined();
  });

  it('leads back to the samples from every page once they are removed', async () => {
    const link = 'To see how it works: <a href="/demo">/demo</a>';
    expect(await page(demo, '/network')).not.toContain(link);
    await demo.samples.remove();
    for (const path of ['/', '/network', '/docs'])
      expect([path, await page(demo, path)]).toEqual([path, expect.stringContaining(link)]);
    expect(await page(await createDemoApp('off'))).not.toContain(link);
  });

  it('is on an empty node, and on none with components', async () => {
    const empty = await createDemoApp();
    expect(await page(empty)).toContain('<button>Show samples</button>');
    await empty.registry.upsertLocal([component('https://c.example/a.js')]);
    expect(await page(empty)).not.toContain('Show samples');
  });

  it('is not where it could not work', async () => {
    for (const write of ['off', 'operator'] as const) {
      const empty = await createDemoApp(write);
      expect(await page(empty)).toMatch(/start it with <code>--demo<\/code>/);
      expect(await page(empty)).not.toContain('<form method="post"');
      await empty.samples.show();
      expect(await page(empty)).not.toContain('Remove them');
    }
    const mirror = await createTestApp();
    expect(await (await browse(mirror, '/')).text()).not.toContain('samples');
    expect((await mirror.app.request('/demo')).status).toBe(404);
  });

  it('that removes them is on every page, and so is the mark', async () => {
    const uri = encodeURIComponent(`${NODE}/demo/profile-card.js`);
    for (const path of ['/', '/network', `/c/${uri}`, '/lint', '/docs', '/demo'])
      expect([path, await page(demo, path)]).toEqual([
        path,
        expect.stringContaining('<button>Remove them</button>'),
      ]);
    const data = `/data?url=${encodeURIComponent(`${NODE}${ANN}`)}&shapes=foaf:Person`;
    for (const path of ['/', `/c/${uri}`, '/demo', data])
      expect([path, await page(demo, path)]).toEqual([
        path,
        expect.stringContaining('<span class="sample">sample</span>'),
      ]);
    expect(await page(demo, data)).toContain('<li>a sample that comes with this node</li>');
    expect(await page(demo, `/c/${uri}`)).toContain('The samples that come with this node');
  });

  it('has each sample tried with its own data, by one click on its page', async () => {
    const uri = encodeURIComponent(`${NODE}/demo/profile-card.js`);
    expect(await page(demo, `/c/${uri}`)).toContain(`value="${NODE}/demo/data/ann.ttl#me"`);
  });

  it('has the question about data asked by one click on the first page', async () => {
    for (const name of ['ann.ttl', 'groceries.ttl']) {
      const asked = `href="/data?url=${encodeURIComponent(`${NODE}/demo/data/${name}`)}`;
      expect((await page(demo)).split(asked)).toHaveLength(2);
    }
    await demo.samples.remove();
    expect(await page(demo)).not.toContain('/data?url=');
  });

  it('leads to chapters of the documentation that are there', async () => {
    const links = [...(await page(demo, '/demo')).matchAll(/href="(\/docs\/[^"#]*)#([^"]*)"/g)];
    expect(links).toHaveLength(2);
    for (const [, path = '', anchor = ''] of links)
      expect([path, await page(demo, path)]).toEqual([path, expect.stringContaining(`id="${anchor}"`)]);
  });
});
