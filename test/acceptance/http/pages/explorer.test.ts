import { beforeEach, describe, expect, test } from 'vitest';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { browse, HOSTILE } from '../../../support/explorer-pages.js';
import { postJson } from '../../../support/node/post-json.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = async (path: string) => (await get(path)).text();
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;

describe('what strangers wrote', () => {
  const uri = `https://c.example/a.js?x='&onload=alert(1)`;
  const source: SourceStatus = {
    ...{ url: 'https://pod.example/', kind: 'pod', configured: true, hops: 0, via: [], state: 'failing' },
    ...{
      failingSince: 0,
      failures: 3,
      components: 2,
      documents: 2,
      failing: [],
      invalid: [],
      error: HOSTILE,
    },
  };
  const entry = 'entry=https://a.example/%22%3E%3Cscript%3E';

  beforeEach(async () => {
    const author = [HOSTILE, 'javascript:alert(1)'];
    const words = { label: HOSTILE, description: HOSTILE, version: HOSTILE, tag: [HOSTILE], author };
    const fragment = { type: 'FragmentInvocation' as const, fragment: HOSTILE, module: [] };
    const capability = [{ summary: HOSTILE, invocation: [fragment] }];
    const invalid = [{ subject: HOSTILE, reasons: [HOSTILE] }];
    await app.registry.upsertLocal([
      component(uri, { ...words, shapes: ['urn:x:%3Cscript%3E'] }),
      component('https://c.example/other.js', { ...words, capability }),
    ]);
    const document = {
      url: 'https://pod.example/hostile.ttl',
      components: [component('https://c.example/third.js', words)],
      record: { etag: HOSTILE, error: HOSTILE, invalid },
    };
    await app.registry.commit({
      source: { kind: 'pod', url: source.url },
      documents: [document],
      record: { failures: 0 },
    });
    const event = {
      at: 0,
      source: { kind: 'pod', url: source.url },
      what: 'failed',
      detail: HOSTILE,
    } as const;
    app.node.activity = { allFail: false, events: [event] };
    app.node.status = [
      { ...source, invalid: [{ document: HOSTILE, subject: HOSTILE, reasons: [HOSTILE] }] },
      { ...source, kind: 'peer', url: 'javascript:alert(1)', configured: false, via: [HOSTILE] },
      { ...source, kind: 'peer', url: `https://x.example/"onmouseover="alert(1)` },
    ];
  });

  test.each([
    '/',
    `/?q=${encodeURIComponent(HOSTILE)}&tag=${encodeURIComponent(HOSTILE)}&shapes=x&author=y`,
    componentPath(uri),
    componentPath('https://c.example/other.js'),
    componentPath('https://nobody.example/<script>'),
    '/network',
    `${componentPath(uri)}?${entry}`,
    `/frame?uri=${encodeURIComponent(uri)}&${entry}`,
    `/why?document=${encodeURIComponent('https://pod.example/hostile.ttl')}`,
    '/why?document=https://pod.example/',
    `/why?document=${encodeURIComponent(HOSTILE)}`,
    `/data?url=https://a.example/%22%3E%3Cscript%3E&shapes=${encodeURIComponent(HOSTILE)}`,
    '/data?url=https://a.example/&shapes=urn:x:%253Cscript%253E',
    `/${encodeURIComponent(HOSTILE)}`,
  ])('is nothing but text in %s', async (path) => {
    const response = await get(path);
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none';.*script-src 'self'/);
    const tags = page.match(/<[a-z](?:"[^"]*"|[^">])*>/gi) ?? [];
    const scripts = tags.filter((tag) => /^<(script|img)/i.test(tag));
    const own = /src="\/(assets\/(shell|data)|host-frame)\.(js|svg)"/;
    expect(scripts.filter((tag) => !own.test(tag))).toEqual([]);
    expect(tags.filter((tag) => /\bon\w+=/i.test(tag.replace(/"[^"]*"/g, '""')))).toEqual([]);
    const targets = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, target]) => target);
    expect(targets.filter((target) => !/^(\/(?!\/)|https:\/\/|#|data:,$)/.test(target ?? ''))).toEqual([]);
  });
});

describe('every page', () => {
  test.each(['/data', '/publish'])('says before anything else that it needs JavaScript: %s', async (path) => {
    expect(await text(path)).toMatch(
      /<main[^>]*>\s*<h1>.*?<\/h1>\s*<noscript>\s*<p class="alert">[^<]*JavaScript/s,
    );
  });

  test('leaves parameters alone that it does not know', async () => {
    expect((await get('/?utm_source=x&limit=none&q=')).status).toBe(200);
  });
});

describe('a shape with a prefix', () => {
  beforeEach(async () => {
    const shapes = ['http://xmlns.com/foaf/0.1/Person'];
    await app.registry.upsertLocal([component('https://c.example/a.js', { label: 'Card', shapes })]);
  });
  const asked = (path: string, body?: object) => (body ? app.app.request(path, postJson(body)) : get(path));

  test.each<[string, object?]>([
    ['/?shapes=foaf:Person'],
    ['/component?shapes=foaf:Person'],
    ['/data?url=https://pod.example/x&shapes=foaf:Person'],
    ['/component/query', { shapes: 'foaf:Person' }],
    ['/component/query', { shape: ['foaf:Person'] }],
    ['/match', { types: ['foaf:Person'] }],
    ['/match', { shapes: ['foaf:Person'] }],
  ])('is understood by %s %j', async (path, body) => {
    expect(await (await asked(path, body)).text()).toContain('Card');
  });

  test.each<[string, object?]>([
    ['/component?shapes=Person'],
    ['/component/query', { shapes: ['Person'] }],
    ['/match', { types: ['Person'] }],
  ])('is asked for where %s has a bare word %j', async (path, body) => {
    const answer = await asked(path, body);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(
      'write the whole IRI, or a name like foaf:Person; the prefixes are',
    );
  });

  test.each(['Person', 'ex:Person'])(
    'is asked for on the page that finds nothing for %s',
    async (written) => {
      const page = await text(`/?shapes=${written}`);
      expect(page).toContain('0 components found');
      expect(page).toMatch(/There is a shape that nobody can find: .*write the whole IRI/);
    },
  );
});

describe('/host.js', () => {
  test('is for every page, and cacheable', async () => {
    const response = await get('/host.js', { origin: 'https://app.example' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=600',
      etag: '"host.js"',
      'x-content-type-options': 'nosniff',
    });
    const again = await get('/host.js', { 'if-none-match': '"host.js"' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('of a node that was not built says how to', async () => {
    app = await createTestApp({}, { assets: () => undefined });
    const response = await get('/host.js');
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('npm run build')]);
  });
});

test('links in JSON name the library', async () => {
  expect(await (await get('/', {})).json()).toMatchObject({ links: { hostLibrary: `${BASE}/host.js` } });
});
