import { Parser, type Quad } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { COMPONENT_TYPES, DATASET_TYPES } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp, VOC } from '../../adapters/registry-app.js';

const URIS = ['https://c.example/a.js', 'https://c.example/b.js', 'https://c.example/c.js'] as const;
const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const PEER = { kind: 'peer', url: 'https://peer.example' } as const;

let test: TestApp;
const get = (path: string, headers: Record<string, string> = {}) => test.app.request(path, { headers });

beforeEach(async () => {
  test = await createTestApp();
  await test.say(POD, [
    component(URIS[0], { tag: ['x'], shapes: ['http://s.example/1', 'http://s.example/2'] }),
    component(URIS[1], { tag: ['x', 'y'], version: '1.2.0', latest: true, author: ['Ann'] }),
    component(URIS[2], { version: '2.0.0', description: 'The third', latest: false }),
  ]);
  await test.say(PEER, [component(URIS[0], { label: 'The same, as a peer has it' })]);
});

const parse = (text: string, format: string): Quad[] => new Parser({ format }).parse(text);
const urisOf = async (response: Response) =>
  ((await response.json()) as { uri: string }[]).map(({ uri }) => uri);

describe('GET /component', () => {
  it('has the keys of the specification and the plain ones', async () => {
    const response = await get('/component');
    const [, second] = (await response.json()) as Record<string, unknown>[];
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(second).toMatchObject({
      '@id': `${BASE}/c/${URIS[1]}`,
      '@type': [`${VOC}component`],
      [`${VOC}label`]: [{ '@id': `Label of ${URIS[1]}` }],
      [`${VOC}latest`]: [{ '@value': 'true', '@type': 'http://www.w3.org/2001/XMLSchema#boolean' }],
      [`${VOC}tag`]: [{ '@id': 'x' }, { '@id': 'y' }],
      uri: URIS[1],
      latest: true,
      author: ['Ann'],
    });
    expect(second).not.toHaveProperty([`${VOC}description`]);
  });

  it.each([
    ['text/turtle', 'text/turtle; charset=utf-8'],
    ['application/n-triples', 'application/n-triples'],
    ...DATASET_TYPES.map((type): [string, string] => [type, type]),
  ])('writes %s about the address on the node, without graphs', async (type, contentType) => {
    const response = await get('/component', { accept: type });
    const quads = parse(await response.text(), type);
    expect(response.headers.get('content-type')).toBe(contentType);
    const addresses = new Set(URIS.map((uri) => `${BASE}/c/${uri}`));
    expect(new Set(quads.map(({ subject }) => subject.value))).toEqual(addresses);
    expect(new Set(quads.map(({ graph }) => graph.termType))).toEqual(new Set(['DefaultGraph']));
    const label = quads.find(({ predicate }) => predicate.value === `${VOC}label`);
    expect(label?.object.termType).toBe('Literal');
  });

  it('says what there is when nothing is acceptable', async () => {
    const response = await get('/component', { accept: 'image/png' });
    expect(response.status).toBe(406);
    const { detail } = (await response.json()) as { detail: string };
    for (const type of COMPONENT_TYPES) expect(detail).toContain(type);
  });

  it.each([
    ['', URIS],
    ['tag=x', URIS.slice(0, 2)],
    ['tag=x&tag=y', [URIS[1]]],
    ['latest=true', [URIS[1]]],
    ['shape=http%3A%2F%2Fs.example%2F2', [URIS[0]]],
    [`uri=${BASE}/c/${URIS[1]}`, [URIS[1]]],
    [`uri=${encodeURIComponent(`${BASE}/c/${encodeURIComponent(URIS[1])}`)}`, [URIS[1]]],
    [`uri=https://other.example/c/${URIS[1]}`, []],
    ['version=%5E1.0.0', [URIS[1]]],
    ['after=https://c.example/a.js', URIS.slice(1)],
    ['limit=10000', URIS],
  ])('?%s', async (parameters, expected) => {
    expect(await urisOf(await get(`/component?${parameters}`))).toEqual(expected);
  });

  it.each([
    ['limit=0', '?limit'],
    ['limit=10001', '?limit'],
    ['limit=1e2', '?limit'],
    ['limit=', '?limit'],
    ['limit=1&limit=2', '?limit'],
    ['after=', '?after'],
    ['form=x', '?form'],
    ['graphs=some', '?graphs'],
    ['graphs=all&graphs=all', '?graphs'],
    ['constructor=x', '?constructor'],
    ['latest=perhaps', '/latest'],
    ['label=a&label=b', '/label'],
  ])('refuses ?%s', async (parameters, pointer) => {
    const response = await get(`/component?${parameters}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
  });

  it('pages with links that keep the filter, until there is no next', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/component?tag=x&limit=1';
    while (path) {
      const response = await get(path);
      seen.push(...(await urisOf(response)));
      const link = response.headers.get('link');
      path = link?.match(/^<(.*)>; rel="next"$/)?.[1]?.slice(BASE.length);
      if (link) expect(path).toMatch(/^\/component\?tag=x&limit=1&after=/);
    }
    expect(seen).toEqual(URIS.slice(0, 2));
  });

  it('writes hostile uris into Link as nothing but an address', async () => {
    const uri = `https://c.example/x';,();=漢.js`;
    await test.say(POD, [component(uri), component('https://d.example/z.js')]);
    const link = (await get('/component?limit=1&after=https://c.example/c.js')).headers.get('link');
    expect(link).toBe(`<${BASE}/component?${new URLSearchParams({ limit: '1', after: uri })}>; rel="next"`);
    expect(link).toMatch(/^<[!-;=?-~]+>; rel="next"$/);
  });
});

describe('conditional GET /component', () => {
  const validators = async (path = '/component', accept = '*/*') => {
    const { headers } = await get(path, { accept });
    return { etag: headers.get('etag') ?? '', date: headers.get('last-modified') ?? '' };
  };

  it.each(['/component', '/component?tag=x', `/c/${URIS[0]}`, '/peers', '/storage', '/openapi.json'])(
    '%s answers 304 with the same headers, and no body',
    async (path) => {
      const { etag, date } = await validators(path);
      expect([etag, date]).toEqual([expect.stringMatching(/^"[^"]+"$/), expect.stringMatching(/ GMT$/)]);
      const response = await get(path, { 'if-none-match': etag });
      expect(response.status).toBe(304);
      expect(await response.text()).toBe('');
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('last-modified')).toBe(date);
      const { headers } = await get(path);
      expect(response.headers.get('vary')).toBe(headers.get('vary'));
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('answers a date in full within the second of the change, and with 304 later', async () => {
    const { date } = await validators();
    expect((await get('/component', { 'if-modified-since': date })).status).toBe(200);
    test.node.now += 2000;
    const later = await validators();
    expect((await get('/component', { 'if-modified-since': later.date })).status).toBe(304);
  });
});

describe('POST /component/query', () => {
  const query = (body: unknown, path = '/component/query', headers = {}) =>
    test.app.request(path, postJson(body, headers));

  // What bodies find, and that it is what the same parameters find: capabilities.test.ts.
  it('answers Turtle when asked', async () => {
    const response = await query({ uri: URIS[0] }, undefined, { accept: 'text/turtle' });
    expect(response.headers.get('vary')).toBe('Accept');
    expect(parse(await response.text(), 'text/turtle').length).toBeGreaterThan(3);
  });

  it('pages', async () => {
    const response = await query({}, '/component/query?limit=2');
    expect(await urisOf(response)).toEqual(URIS.slice(0, 2));
    expect(response.headers.get('link')).toBe(
      `<${BASE}/component/query?limit=2&after=${encodeURIComponent(URIS[1])}>; rel="next"`,
    );
  });

  it.each([
    [{ colour: 'red' }, '/colour', 'label'],
    [[], '', 'object'],
  ])('refuses %j', async (body, pointer, said) => {
    const response = await query(body);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { pointer: string; detail: string }[] };
    expect(errors[0]?.pointer).toBe(pointer);
    expect(errors[0]?.detail).toContain(said);
  });
});
