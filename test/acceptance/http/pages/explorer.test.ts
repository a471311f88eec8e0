import { beforeEach, describe, expect, test } from 'vitest';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { browse, HOSTILE, HTML } from '../../../support/explorer-pages.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const POD: SourceStatus = {
  url: 'https://pod.example/',
  kind: 'pod',
  configured: true,
  hops: 0,
  via: [],
  state: 'failing',
  failingSince: Date.UTC(2026, 0, 1),
  failures: 3,
  components: 2,
  documents: 2,
  failing: [],
  invalid: [],
  error: 'connection refused',
};

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});

const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const text = async (path: string) => (await get(path)).text();
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;

describe('what strangers wrote', () => {
  const uri = `https://c.example/a.js?x='&onload=alert(1)`;
  beforeEach(async () => {
    const words = {
      label: HOSTILE,
      description: HOSTILE,
      version: HOSTILE,
      tag: [HOSTILE],
      author: [HOSTILE, 'javascript:alert(1)'],
    };
    await app.registry.upsertLocal([component(uri, { ...words, shapes: ['urn:x:%3Cscript%3E'] })]);
    await app.registry.upsertLocal([component('https://c.example/other.js', words)]);
    await app.registry.commit({
      source: { kind: 'pod', url: 'https://pod.example/' },
      documents: [
        {
          url: 'https://pod.example/hostile.ttl',
          components: [component('https://c.example/third.js', words)],
          record: { etag: HOSTILE, error: HOSTILE, invalid: [{ subject: HOSTILE, reasons: [HOSTILE] }] },
        },
      ],
      record: { failures: 0 },
    });
    app.node.activity = {
      allFail: false,
      events: [{ at: 0, source: { kind: 'pod', url: POD.url }, what: 'failed', detail: HOSTILE }],
    };
    app.node.status = [
      { ...POD, error: HOSTILE, invalid: [{ document: HOSTILE, subject: HOSTILE, reasons: [HOSTILE] }] },
      { ...POD, kind: 'peer', url: 'javascript:alert(1)', configured: false, via: [HOSTILE] },
      { ...POD, kind: 'peer', url: `https://x.example/"onmouseover="alert(1)` },
    ];
  });

  test.each([
    '/',
    `/?q=${encodeURIComponent(HOSTILE)}&tag=${encodeURIComponent(HOSTILE)}&shapes=x&author=y`,
    componentPath(uri),
    componentPath('https://nobody.example/<script>'),
    '/network',
    `${componentPath(uri)}?entry=https://a.example/%22%3E%3Cscript%3E`,
    `/frame?uri=${encodeURIComponent(uri)}&entry=https://a.example/%22%3E%3Cscript%3E`,
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
    const own = /src="\/assets\/(shell|component|data)\.js"/;
    expect(scripts.filter((tag) => !own.test(tag))).toEqual([]);
    expect(tags.filter((tag) => /\bon\w+=/i.test(tag.replace(/"[^"]*"/g, '""')))).toEqual([]);
    const targets = [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, target]) => target);
    expect(targets.filter((target) => !/^(\/(?!\/)|https:\/\/|#|data:,$)/.test(target ?? ''))).toEqual([]);
  });

  test('cannot end the script of the snippet', async () => {
    const tag = `x</script><script>'`;
    await app.registry.upsertLocal([component('https://c.example/b.js', { tag: [tag] })]);
    const page = await text(componentPath('https://c.example/b.js'));
    expect(page).toContain('\\u003c/script>\\u003cscript>\\&#39;'.replaceAll('>', '&gt;'));
  });
});

describe('/', () => {
  test('offers what narrows down, and says how much would be left', async () => {
    await app.registry.upsertLocal([
      component('https://c.example/a.js', { tag: ['x', 'y'], shapes: ['http://xmlns.com/foaf/0.1/Person'] }),
      component('https://c.example/b.js', { tag: ['x'] }),
    ]);
    const all = await text('/');
    expect(all).toMatch(/href="\/\?tag=x" title="x">\s*<span>x<\/span>\s*<small>2</);
    expect(all).toContain('foaf:Person');
    const one = await text('/?tag=x&tag=y');
    expect(one).toContain('1 component found');
    expect(one).toContain('href="/?tag=y"');
  });

  test('says what its words mean, and has none for experts alone', async () => {
    const words = (await text('/')).replace(/<head>.*?<\/head>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ');
    expect(words).toMatch(/web components, which are programs that show data in a page/);
    expect(words.search(/\bshapes?\b/)).toBe(
      words.indexOf('shape of the data: what it is about, as a person'),
    );
    expect(words.search(/\bpods?\b/)).toBe(
      words.indexOf('pods , which are places on the web for data of one'),
    );
    expect(words).not.toMatch(/\b(IRI|RDF|WebID|graph|literal)\b/);
  });

  test('has a way for the keyboard past all that stands before what was found', async () => {
    for (const path of ['/?q=card', '/data?url=https://a.example/&shapes=foaf:Person']) {
      const page = await text(path);
      expect(page).toMatch(
        /<body[^>]*>\s*<a class="skip"[^>]*>[^<]*<\/a>\s*<a class="skip" href="#count">Skip to results</,
      );
      expect(page).toContain('<h2 id="count" tabindex="-1">');
    }
    expect(await text('/network')).not.toContain('Skip to results');
  });

  test.each(['/data', '/publish'])(
    'says before anything else of %s that it needs JavaScript',
    async (path) => {
      const page = await text(path);
      expect(page).toMatch(/<main[^>]*>\s*<h1>.*?<\/h1>\s*<noscript><p class="alert">[^<]*JavaScript/s);
    },
  );

  test('leaves parameters alone that it does not know', async () => {
    expect((await get('/?utm_source=x&limit=none&q=')).status).toBe(200);
  });

  test('keeps the path that a node is published under', async () => {
    const baseUrl = 'https://site.example/registry';
    app = await createTestApp({ baseUrl });
    const page = await text('/');
    expect(page).toContain('href="/registry/network"');
    expect(page).toContain('src="/registry/assets/shell.js"');
    expect(page).toContain('action="/registry/"');
  });
});

describe('/c/<uri>', () => {
  const uri = 'https://c.example/a.js';
  beforeEach(() =>
    app.registry.upsertLocal([component(uri, { label: 'Card', version: '1.0.0', author: ['Ann'] })]),
  );

  test('is a page for a browser and data for everything else, each with its own tag', async () => {
    const page = await get(componentPath(uri));
    const data = await get(componentPath(uri), {});
    expect([page, data].map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/html; charset=utf-8',
      'application/json',
    ]);
    expect(page.headers.get('vary')).toBe('Accept');
    const etag = page.headers.get('etag') ?? '';
    expect(etag).not.toBe(data.headers.get('etag'));
    expect((await get(componentPath(uri), { ...HTML, 'if-none-match': etag })).status).toBe(304);
  });

  test('knows the other versions, the newest first, and takes nothing from elsewhere for one', async () => {
    await app.registry.upsertLocal([
      component('https://c.example/b.js', { label: 'Card', version: '1.10.0' }),
      component('https://c.example/c.js', { label: 'Card', version: '1.9.0', author: ['Ann', 'Bob'] }),
      component('https://d.example/c.js', { label: 'Card', version: '9.9.9', latest: true, author: ['Ann'] }),
      component('https://c.example/e.js', { label: 'Other', version: '4.0.0' }),
    ]);
    const stranger = { kind: 'pod', url: 'https://stranger.example/' } as const;
    await app.say(stranger, [component('https://c.example/f.js', { label: 'Card', version: '9.0.0' })]);
    const page = await text(componentPath(uri));
    const versions = page.slice(page.indexOf('id="versions"'), page.indexOf('id="namesakes"'));
    expect(versions.match(/>\d+\.\d+\.\d+</g)).toEqual(['>1.10.0<', '>1.9.0<', '>1.0.0<']);
    const others = page.slice(page.indexOf('id="namesakes"'), page.indexOf('id="sources"'));
    expect(others.match(/Card \d+\.\d+\.\d+/g)).toEqual(['Card 9.0.0', 'Card 9.9.9']);
  });

  test.each<[string, string[], string | undefined]>([
    ['2.0.0', ['1.0.0', '2.0.0'], '2.0.0'],
    ['the one that is marked as the latest', ['1.0.0', '2.0.0 latest', '3.0.0'], '2.0.0'],
    ['no trial of a version to come', ['1.0.0', '2.0.0-beta.1'], undefined],
    ['none on the page of the newest', ['1.0.0', '0.9.0'], undefined],
    ['none where the latest is said to be an older one', ['1.0.0', '0.9.0 latest'], undefined],
  ])('says above everything else that there is a newer version: %s', async (_, versions, newer) => {
    const described = versions.map((one) => {
      const [version = '', latest] = one.split(' ');
      const address = version === '1.0.0' ? uri : `https://c.example/${version}.js`;
      return component(address, { label: 'Card', version, ...(latest ? { latest: true } : {}) });
    });
    await app.registry.upsertLocal(described);
    const page = await text(componentPath(uri));
    const [, link] = /There is a newer version of this component: <a href="([^"]*)">/.exec(page) ?? [];
    expect(link).toBe(newer && componentPath(`https://c.example/${newer}.js`));
    if (newer) expect(page.indexOf('There is a newer')).toBeLessThan(page.indexOf('class="facts"'));
  });

  test('knows the other versions, however many others have its name', async () => {
    const strangers = Array.from({ length: 1100 }, (_, i) =>
      component(`https://a.example/${i}.js`, { label: 'Card', version: `9.9.${i}` }),
    );
    await app.say({ kind: 'pod', url: 'https://stranger.example/' }, strangers);
    await app.registry.upsertLocal([
      component('https://c.example/b.js', { label: 'Card', version: '2.0.0' }),
    ]);
    const page = await text(componentPath(uri));
    expect(page.slice(page.indexOf('id="versions"'), page.indexOf('id="namesakes"'))).toContain('>2.0.0<');
  });

  test('has links to the same in other forms, which browsers can follow', async () => {
    const page = await text(componentPath(uri));
    const links = [...page.matchAll(/href="(\/component\?uri=[^"]*)"/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&'),
    );
    const types = await Promise.all(links.map(async (link) => (await get(link)).headers.get('content-type')));
    expect(types).toEqual(['application/json', 'application/ld+json', 'text/turtle; charset=utf-8']);
    expect(await text(links[2] ?? '')).toContain(`<${BASE}/c/${uri}>`);
  });

  test('names every source, the one that is served first', async () => {
    await app.say({ kind: 'pod', url: 'https://pod.example/x.ttl' }, [component(uri, { label: 'Theirs' })]);
    const page = await text(componentPath(uri));
    expect(page).toContain('Described by 2 sources');
    expect(page.indexOf('This node itself')).toBeLessThan(page.indexOf('https://pod.example/x.ttl'));
  });

  test('that nobody describes is a page with 404, and a problem for programs', async () => {
    const page = await get(componentPath('https://c.example/none.js'));
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const data = await get(componentPath('https://c.example/none.js'), {});
    expect([data.status, data.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });
});

describe('GET /component?q=', () => {
  test('searches, and joins the other constraints; the query takes it, too', async () => {
    await app.registry.upsertLocal([
      component('https://c.example/a.js', { label: 'Café card', tag: ['x'] }),
      component('https://c.example/b.js', { label: 'Tea card' }),
    ]);
    const uris = async (response: Response) =>
      ((await response.json()) as { uri: string }[]).map(({ uri }) => uri);
    expect(await uris(await get('/component?q=CARD', {}))).toHaveLength(2);
    expect(await uris(await get('/component?q=card+cafe&tag=x', {}))).toEqual(['https://c.example/a.js']);
    const posted = await app.app.request('/component/query', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ q: 'tea' }),
    });
    expect(await uris(posted)).toEqual(['https://c.example/b.js']);
    const unknown = await get('/component?query=card', {});
    expect([unknown.status, await unknown.text()]).toEqual([
      422,
      expect.stringContaining('source, trust, q'),
    ]);
  });
});

describe('a shape with a prefix', () => {
  const uri = 'https://c.example/a.js';
  beforeEach(async () => {
    await app.registry.upsertLocal([
      component(uri, { label: 'Card', shapes: ['http://xmlns.com/foaf/0.1/Person'] }),
    ]);
  });
  const post = (path: string, body: object) =>
    app.app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test.each(['/?', '/component?', '/data?url=https://pod.example/x&'])(
    'is understood by GET %s',
    async (path) => {
      expect(await text(`${path}shapes=foaf:Person`)).toContain('Card');
    },
  );

  test.each<[string, object]>([
    ['/component/query', { shapes: 'foaf:Person' }],
    ['/component/query', { shape: ['foaf:Person'] }],
    ['/match', { types: ['foaf:Person'] }],
    ['/match', { shapes: ['foaf:Person'] }],
  ])('is understood by POST %s %j', async (path, body) => {
    expect(await (await post(path, body)).text()).toContain(`"uri":"${uri}"`);
  });

  test.each([
    ['/component?shapes=Person', undefined],
    ['/component/query', { shapes: ['Person'] }],
    ['/match', { types: ['Person'] }],
  ])('is asked for where %s has a bare word %j', async (path, body) => {
    const answer = await (body ? post(path, body) : get(path, {}));
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining('write the whole IRI, or a name like foaf:Person; the prefixes are acl, as,'),
    ]);
  });

  test.each(['Person', 'ex:Person'])(
    'is asked for on the page that finds nothing for %s',
    async (written) => {
      const page = await text(`/?shapes=${written}`);
      expect(page).toContain('0 components found');
      expect(page).toMatch(
        /There is a shape that nobody can find: .*write the whole IRI, or a name like foaf:Person/,
      );
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
