import { beforeEach, describe, expect, test } from 'vitest';
import { browse, HOSTILE, HTML, pageText } from '../../../support/explorer-pages.js';
import { postJson } from '../../../support/node/post-json.js';
import { sourceStatus } from '../../../support/source-status.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

/** What holds for all pages: what a component, a source or a document has to say is in the tests of its page. */
const URI = 'https://c.example/a.js';
const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});
const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = (path: string) => pageText(app, path);

describe('a page', () => {
  test('has one tag for one body, whatever changes while it is made, and is not sent again to who has it', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const pace = () => async () => {
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
    };
    app = await createTestApp({}, { pace });
    const bodies = new Map<string, string>();
    for (const [i, path] of ['/', '/?tag=t', '/?q=card', componentPath(URI)].entries()) {
      const say = (version: number) => [
        component(URI, { label: 'Card', tag: ['t'], version: `${version}.0.0` }),
      ];
      await app.registry.upsertLocal(say(2 * i));
      const before = await get(path);
      meanwhile = () => app.registry.upsertLocal(say(2 * i + 1));
      const answers = [before, await get(path), await get(path)];
      expect([path, meanwhile]).toEqual([path, undefined]);
      const tags = answers.map(({ headers }) => `${headers.get('etag')}`);
      expect(tags[2]).not.toBe(tags[0]);
      for (const [j, tag] of tags.entries()) {
        const body = await answers[j]?.text();
        expect([path, bodies.get(path + tag) ?? body]).toEqual([path, body]);
        bodies.set(path + tag, body ?? '');
      }
      const again = await get(path, { ...HTML, 'if-none-match': tags[2] ?? '' });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  test.each([
    ['/', 'application/json'],
    [componentPath(URI), 'application/json'],
    [componentPath('https://c.example/none.js'), 'application/problem+json'],
    ['/nothing', 'application/problem+json'],
    ['/component?limit=x', 'application/problem+json'],
    ['/component/query', 'application/problem+json'],
    ['/c/%ff', 'application/problem+json'],
  ])('%s is one for a browser, and %s for programs', async (path, type) => {
    await app.registry.upsertLocal([component(URI)]);
    const [page, data] = [await get(path), await get(path, { accept: '*/*' })];
    const types = [page, data].map(({ headers }) => headers.get('content-type'));
    expect([data.status, ...types]).toEqual([page.status, 'text/html; charset=utf-8', type]);
    expect(page.headers.get('allow')).toBe(data.headers.get('allow'));
    if (page.status !== 200) return;
    expect(page.headers.get('vary')).toBe('Accept');
    expect(page.headers.get('etag')).not.toBe(data.headers.get('etag'));
  });

  test('of an error says what is wrong', async () => {
    expect(await text('/component?limit=x')).toMatch(/<code>\?limit<\/code>\s*limit must be a whole number/);
    expect(await text('/nothing')).toContain('There is nothing at this path.');
  });

  test.each(['/data', '/publish'])('says before anything else that it needs JavaScript: %s', async (path) => {
    expect(await text(path)).toMatch(
      /<main[^>]*>\s*<h1>.*?<\/h1>\s*<noscript>\s*<p class="alert">[^<]*JavaScript/s,
    );
  });
});

describe('what strangers wrote', () => {
  const uri = `https://c.example/a.js?x='&onload=alert(1)`;
  const document = `${POD.url}hostile.ttl`;
  const entry = 'entry=https://a.example/%22%3E%3Cscript%3E';
  const invalid = [{ subject: HOSTILE, reasons: [HOSTILE] }];
  const source = sourceStatus({
    ...{ state: 'failing', failingSince: 0, failures: 3, components: 2, documents: 2, error: HOSTILE },
    invalid: [{ document: HOSTILE, subject: HOSTILE, reasons: [HOSTILE] }],
  });

  beforeEach(async () => {
    const author = [HOSTILE, 'javascript:alert(1)'];
    const words = { label: HOSTILE, description: HOSTILE, version: HOSTILE, tag: [HOSTILE], author };
    const fragment = { type: 'FragmentInvocation' as const, fragment: HOSTILE, module: [] };
    const capability = [{ summary: HOSTILE, invocation: [fragment] }];
    await app.registry.upsertLocal([
      component(uri, { ...words, shapes: ['urn:x:%3Cscript%3E'] }),
      component('https://c.example/other.js', { ...words, capability }),
    ]);
    const third = component('https://c.example/third.js', words);
    const record = { etag: HOSTILE, error: HOSTILE, invalid };
    const documents = [{ url: document, components: [third], record }];
    await app.registry.commit({ source: POD, documents, record: { failures: 0 } });
    app.node.activity = {
      allFail: false,
      events: [{ at: 0, source: POD, what: 'failed', detail: HOSTILE }],
    };
    app.node.status = [
      source,
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
    `/why?document=${encodeURIComponent(document)}`,
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

describe('a shape with a prefix', () => {
  beforeEach(async () => {
    const shape = 'http://xmlns.com/foaf/0.1/Person';
    await app.registry.upsertLocal([
      component(URI, { label: 'Card', description: 'no ex:Thing', shapes: [shape] }),
      component('https://c.example/other.js', { label: 'Other', shapes: [`${shape}alProfileDocument`] }),
    ]);
  });

  // What programs ask: test/component/query.test.ts.
  test.each([
    ...['/?shapes=foaf:Person', '/?shapes=http://xmlns.com/foaf/0.1/Person', '/?q=foaf:Person'],
    ...['/?q=http://xmlns.com/foaf/0.1/Person', '/?q=ex:Thing+foaf:Person'],
    '/data?url=https://pod.example/x&shapes=foaf:Person',
  ])('is understood by %s', async (path) => {
    const found = await text(path);
    expect([found.includes('Card'), found.includes('Other')]).toEqual([true, false]);
  });

  test('is understood by /match, and asked for where this or a query has a bare word', async () => {
    const ask = async (path: string, body: object) => (await app.app.request(path, postJson(body))).text();
    const words = 'write the whole IRI, or a name like foaf:Person; the prefixes are';
    for (const key of ['types', 'shapes']) {
      const found = await ask('/match', { [key]: ['foaf:Person'] });
      expect([found.includes('Card'), found.includes('Other')]).toEqual([true, false]);
      expect(await ask('/match', { [key]: ['Person'] })).toContain(words);
    }
    expect(await ask('/component/query', { shapes: ['Person'] })).toContain(words);
  });

  test.each(['Person', 'ex:Person'])(
    'is asked for on the page that finds nothing for %s',
    async (written) => {
      expect(await text(`/?shapes=${written}`)).toMatch(
        /0 components found.*There is a shape that nobody can find: .*write the whole IRI/s,
      );
    },
  );
});

test('/host.js is for every page, cacheable, and named by the JSON at /', async () => {
  const response = await get('/host.js', { origin: 'https://app.example' });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=600',
    etag: '"host.js"',
    'x-content-type-options': 'nosniff',
  });
  const again = await get('/host.js', { 'if-none-match': '"host.js"' });
  expect([again.status, again.headers.get('content-type'), await again.text()]).toEqual([304, null, '']);
  expect(await (await get('/', {})).json()).toMatchObject({ links: { hostLibrary: `${BASE}/host.js` } });
});

describe('/docs', () => {
  test.each([
    ['/docs', 'Component registry node'],
    ['/docs/', 'Component registry node'],
    ['/docs/operators', 'For operators'],
    ['/docs/operators.md', 'For operators'],
    ['/docs/CONTRIBUTING', 'Working on the node'],
  ])('%s is a page', async (path, title) => {
    const answer = await get(path);
    const heading = expect.stringMatching(new RegExp(`<h1[^>]*>${title}</h1>`));
    expect([answer.status, await answer.text()]).toEqual([200, heading]);
    // What it loads is looked at in browsers: test/acceptance/browser-pages.test.ts.
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:;/,
    );
  });

  test.each([
    '/docs/nothing',
    '/docs/pictures/..%2f..%2fpackage.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/pictures/',
    `/docs/${'docs/'.repeat(2000)}`,
  ])('%.60s is a page that says that there is none', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('No such page')]);
  });
});
