import { Parser, termToId } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { querySchema } from '../../../src/component/query.js';
import { parseRdf } from '../../../src/component/rdf/rdf-parse.js';
import { OWN_SEGMENTS } from '../../../src/config/own-paths.js';
import {
  BASE,
  component,
  createTestApp,
  type TestApp,
  TOKEN,
  VOC,
} from '../../acceptance/adapters/registry-app.js';
import { postJson } from '../../support/node/post-json.js';
import { schemaFor } from '../../support/openapi.js';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({ operatorToken: TOKEN });
});
const get = (path: string, headers: Record<string, string> = {}) => test.app.request(path, { headers });

describe('methods', () => {
  it.each([
    ['/component', 'GET, HEAD, POST, OPTIONS'],
    ['/component/', 'GET, HEAD, POST, OPTIONS'],
    ['/component/query', 'POST, OPTIONS'],
    ['/c/https://c.example/a.js', 'GET, HEAD, DELETE, OPTIONS'],
    ['/feed/', 'GET, HEAD, OPTIONS'],
    ['/sync', 'POST, OPTIONS'],
    ['/', 'GET, HEAD, OPTIONS'],
  ])('%s: %s', async (path, allow) => {
    const options = await test.app.request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
    for (const method of ['PUT', 'PATCH', 'constructor', '__proto__']) {
      const refused = await test.app.request(path, { method });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
    }
  });

  it('pages of every origin may read, errors too, and preflights say so; what is for the operator they may not', async () => {
    const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const headersOf = async (method: string, path: string) =>
      (await test.app.request(path, { method, headers: asked })).headers;
    for (const path of ['/component', '/c/nothing', '/component?limit=x', '/nothing']) {
      const headers = await headersOf('GET', path);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toContain('ETag');
    }
    const headers = await headersOf('OPTIONS', '/component/query');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('if-none-match');
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
    expect((await headersOf('OPTIONS', '/sync')).get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ...['/component', '/peers', '/feed', '/feed?since=x', '/health', '/status', '/openapi.json', '/'],
    ...['/component?limit=x', '/nothing'],
  ])('HEAD %s has the headers of GET', async (path) => {
    const [head, full] = [await test.app.request(path, { method: 'HEAD' }), await get(path)];
    expect(head.status).toBe(full.status);
    expect(await head.text()).toBe('');
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(full.headers));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await full.text())));
  });
});

describe('/peers and /storage', () => {
  beforeEach(() =>
    test.registry.setNetwork({
      peers: [
        { url: 'https://a.example', hops: 0, via: [] },
        { url: 'https://b.example/', hops: 1, via: ['https://a.example'] },
      ],
      storage: [],
    }),
  );

  it('are lists of addresses, as they were written', async () => {
    expect(await (await get('/peers')).json()).toEqual(['https://a.example', 'https://b.example/']);
    expect(await (await get('/storage')).json()).toEqual([]);
  });

  it('tell in Turtle how each is known', async () => {
    const text = await (await get('/peers', { accept: 'text/turtle' })).text();
    const told = new Parser().parse(text).map((q) => [q.subject.value, q.predicate.value, q.object.value]);
    expect(told).toEqual([
      [BASE, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', `${VOC}node`],
      [BASE, `${VOC}peer`, 'https://a.example'],
      [BASE, `${VOC}peer`, 'https://b.example/'],
      ['https://a.example', `${VOC}hops`, '0'],
      ['https://b.example/', `${VOC}hops`, '1'],
      ['https://b.example/', `${VOC}via`, 'https://a.example'],
    ]);
  });

  it.each(['application/n-triples', 'application/n-quads', 'application/trig', 'application/ld+json'])(
    'tell the same as %s',
    async (accept) => {
      const parsed = async (mediaType: string) => {
        const text = await (await get('/peers', { accept: mediaType })).text();
        const quads = await parseRdf({ text, mediaType, baseIri: BASE, namespace: VOC });
        return quads.map((quad) => `${termToId(quad.subject as never)} ${quad.predicate.value}`).sort();
      };
      expect(await parsed(accept)).toEqual(await parsed('text/turtle'));
      expect((await get('/storage', { accept })).headers.get('content-type')).toBe(accept);
    },
  );

  it('have validators of their own, which move when how they are known changes', async () => {
    const tags = async () => {
      const answers = [get('/peers'), get('/storage'), get('/peers', { accept: 'text/turtle' })];
      return (await Promise.all(answers)).map(({ headers }) => headers.get('etag'));
    };
    const before = await tags();
    await test.registry.upsertLocal([component('https://c.example/a.js')]);
    expect(await tags()).toEqual(before);
    await test.registry.setNetwork({
      peers: [{ url: 'https://a.example', hops: 1, via: ['https://c.example'] }],
      storage: [],
    });
    expect(new Set([...before, ...(await tags())]).size).toBe(6);
  });
});

describe('/openapi.json', () => {
  interface Operation {
    responses: object;
    parameters?: { name: string; in: string; required: boolean; schema: unknown }[];
  }
  interface Description {
    openapi: string;
    info: { description: string };
    servers: unknown;
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, { properties: object }> };
  }
  interface Answered {
    readonly 200: { readonly content: { readonly 'application/json': { readonly schema: object } } };
  }
  const describeNode = async () => (await (await get('/openapi.json')).json()) as Description;

  it('lists exactly the methods that there are', async () => {
    const { openapi, paths } = await describeNode();
    expect(openapi).toBe('3.1.0');
    for (const [path, operations] of Object.entries(paths)) {
      const options = await test.app.request(path, { method: 'OPTIONS' });
      const allowed = options.headers.get('allow')?.toLowerCase().split(', ') ?? [];
      expect(Object.keys(operations).sort()).toEqual(
        allowed.filter((method) => !['head', 'options'].includes(method)).sort(),
      );
    }
  });

  it('describes every address but those of pages for people, which it names, and of their files', async () => {
    const { info, paths } = await describeNode();
    const described = new Set(Object.keys(paths).map((path) => path.split('/')[1]));
    const named: readonly string[] = info.description.match(/(?<=\/)\w+/g) ?? [];
    const others = OWN_SEGMENTS.filter((one) => !described.has(one) && !named.includes(one));
    expect(others.filter((one) => !/\.(js|css|svg|ico)$|^assets$/.test(one))).toEqual([]);
    expect(named.filter((one) => described.has(one))).toEqual([]);
    for (const one of named.filter((name) => !['assets', 'demo', 'starter'].includes(name))) {
      const page = await get(`/${one}`, { accept: 'text/html' });
      expect([one, page.headers.get('content-type')]).toEqual([one, 'text/html; charset=utf-8']);
    }
  });

  it('is made of the schemas that check the requests', async () => {
    const { paths, components } = await describeNode();
    expect(Object.keys(components.schemas.Query?.properties ?? {})).toEqual(Object.keys(querySchema.shape));
    const limit = paths['/component']?.get?.parameters?.find(({ name }) => name === 'limit');
    expect(limit?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 10_000 });
    const needed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations)
        .flatMap(({ parameters = [] }) => parameters)
        .filter((one) => one.in === 'query' && one.required)
        .map(({ name }) => `${path} ${name}`),
    );
    expect(needed.sort()).toEqual([
      ...['after', 'epoch', 'until'].map((name) => `/feed/range ${name}`),
      '/pins uri',
    ]);
  });

  it.each([
    ['http://localhost:3000', '/'],
    ['http://127.0.0.1:3000/registry', '/registry'],
    ['https://registry.example/node', 'https://registry.example/node'],
  ])(
    'of %s names the server %s: a name of the machine itself would be another machine elsewhere',
    async (baseUrl, url) => {
      test = await createTestApp({ baseUrl });
      expect((await describeNode()).servers).toEqual([{ url }]);
    },
  );

  it('has a schema that what the node answers fits', async () => {
    const uri = 'https://c.example/é.js';
    await test.app.request('/component', postJson({ uri, label: 'A', shapes: ['urn:s'], tag: ['x'] }));
    await test.app.request(`/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
    await test.app.request(
      '/component',
      postJson([
        { uri, label: 'A' },
        { uri: 'https://c.example/b.js', label: 'B' },
      ]),
    );
    const document = await describeNode();
    const { schemas } = document.components as never;
    const paths = ['/component', `/c/${encodeURIComponent(uri)}`, '/feed', '/feed/sources'];
    for (const path of [...paths, '/peers', '/storage']) {
      const { get: operation } =
        document.paths[path.startsWith('/c/') ? '/c/{uri}' : (path.split('?')[0] ?? '')] ?? {};
      const answered = (operation?.responses as Answered | undefined)?.[200];
      const schema = answered?.content['application/json'].schema ?? {};
      const answer = await (await get(path, { accept: 'application/json' })).json();
      expect(schemaFor(schema, schemas).safeParse(answer).error, path).toBeUndefined();
    }
  });
});
