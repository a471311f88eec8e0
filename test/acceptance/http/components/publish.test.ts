import { beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { COMPONENT_TYPES } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp, TOKEN, VOC } from '../../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
const PLAIN = { uri: URI, label: 'A', latest: 'true', author: 'Ann' };

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp();
});

const post = (body: string | Uint8Array, type: string, headers: Record<string, string> = {}) =>
  test.app.request('/component', { method: 'POST', headers: { 'content-type': type, ...headers }, body });
const postObject = (body: unknown, headers: Record<string, string> = {}) =>
  test.app.request('/component', postJson(body, headers));
const errorsOf = async (response: Response) =>
  ((await response.json()) as { errors: { pointer: string; detail: string }[] }).errors;

describe('POST /component', () => {
  it('saves an array as the specification has it', async () => {
    const response = await postObject([PLAIN, { uri: 'https://c.example/b.js', label: 'B' }]);
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.json()).toMatchObject([
      { '@id': `${BASE}/c/${URI}`, uri: URI, latest: true, author: ['Ann'] },
      { uri: 'https://c.example/b.js' },
    ]);
    expect((await test.registry.get(URI))?.label).toBe('A');
  });

  it('takes a single object, and says where it is', async () => {
    const response = await postObject(PLAIN);
    expect(response.status).toBe(201);
    const location = response.headers.get('location') ?? '';
    expect(location).toBe(`${BASE}/c/${encodeURIComponent(URI)}`);
    expect((await test.app.request(location)).status).toBe(200);
  });

  it('answers 200 when nothing is new', async () => {
    await postObject(PLAIN);
    expect((await postObject(PLAIN)).status).toBe(200);
    expect((await postObject({ ...PLAIN, label: 'Changed' })).status).toBe(200);
    expect((await test.registry.get(URI))?.label).toBe('Changed');
    expect((await postObject([])).status).toBe(200);
  });

  it('answers what was saved, also where a pod of higher precedence says something else', async () => {
    await test.say({ kind: 'pod', url: 'https://pod.example/' }, [
      component(URI, { label: 'As the pod has it' }),
    ]);
    expect(await (await postObject(PLAIN)).json()).toMatchObject([{ label: 'A' }]);
  });

  it.each([
    ['text/turtle', `<${URI}> a <${VOC}component> ; <${VOC}label> "A" .`],
    ['text/turtle; charset=UTF-8', `@prefix : <${VOC}> . <#x> :uri <${URI}> ; :label "A" .`],
    ['application/n-triples', `<${URI}> <${VOC}label> "A" .`],
    ['application/ld+json', JSON.stringify({ '@id': URI, [`${VOC}label`]: 'A' })],
    ['application/json;charset=utf-8', `\ufeff${JSON.stringify(PLAIN)}`],
  ])('takes %s', async (type, body) => {
    expect((await post(body, type)).status).toBe(201);
    expect((await test.registry.get(URI))?.label).toBe('A');
  });

  it.each(['label', 'latest', 'tag', 'uri'])(
    'refuses a contradiction between %s and its term',
    async (field) => {
      await postObject({ ...PLAIN, tag: ['a', 'b'] });
      const [answered] = (await (await test.app.request('/component')).json()) as Record<string, unknown>[];
      const elsewhere = 'https://c.example/b.js';
      const others: Record<string, unknown> = { label: 'B', latest: false, tag: ['a'], uri: elsewhere };
      const response = await postObject([{ ...answered, [field]: others[field] }]);
      expect(response.status).toBe(422);
      const term = `/0/${`${VOC}${field}`.replaceAll('/', '~1')}`;
      expect(await errorsOf(response)).toEqual([
        { pointer: term, detail: expect.stringContaining(`"${field}"`) },
      ]);
      const same: Record<string, unknown> = { label: 'A', latest: 'true', tag: ['b', 'a', 'a'], uri: URI };
      expect((await postObject([{ ...answered, [field]: same[field] }])).status).toBe(200);
    },
  );

  it.each(COMPONENT_TYPES)('takes what GET answered as %s', async (type) => {
    const saved = component(URI, { tag: ['"x"', '<y>'], shapes: ['urn:s'], version: '', latest: false });
    await test.registry.upsertLocal([saved, component('https://c.example/b.js')]);
    const listing = await (await test.app.request('/component', { headers: { accept: type } })).text();
    await test.registry.removeLocal(URI);
    const response = await post(listing, type);
    expect([response.status, await test.registry.get(URI)]).toEqual([201, saved]);
    const one = await (await test.app.request(`/c/${URI}`, { headers: { accept: type } })).text();
    expect((await post(one, type)).status).toBe(200);
  });

  it.each<[string, string, string, number]>([
    ['text that is no JSON', '{"uri": ', 'application/json', 400],
    ['Turtle that breaks off', '<http://a> <http://b>', 'text/turtle', 400],
    ['JSON-LD with a context elsewhere', '{"@context":"http://x.example/"}', 'application/ld+json', 400],
    ['another type', 'a=b', 'application/x-www-form-urlencoded', 415],
    ['plain text', JSON.stringify(PLAIN), 'text/plain', 415],
    ['an unknown charset', JSON.stringify(PLAIN), 'application/json; charset=klingon', 415],
    ['a number', '1', 'application/json', 422],
    ['null', 'null', 'application/json', 422],
    ['Turtle about something else', '<http://a> <http://b> <http://c> .', 'text/turtle', 422],
    ['an array of arrays', '[[]]', 'application/json', 422],
    ['too many', JSON.stringify(Array.from({ length: 101 }, () => PLAIN)), 'application/json', 413],
    ['too much', ' '.repeat(100_001), 'application/json', 413],
    ['deeply nested nonsense', '['.repeat(40_000) + ']'.repeat(40_000), 'application/json', 422],
    ['__proto__', '{"__proto__": {"label": "x"}, "uri": "https://c.example/a.js"}', 'application/json', 422],
  ])('refuses %s', async (_what, body, type, status) => {
    const response = await post(body, type);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ status, detail: expect.any(String) });
    expect(response.status).toBe(status);
    expect([await test.registry.size(), test.logged]).toEqual([0, []]);
  });

  it('refuses bytes that are not UTF-8, and no type at all', async () => {
    expect((await post(new Uint8Array([0x22, 0xff, 0x22]), 'application/json')).status).toBe(400);
    const untyped = new Request(`${BASE}/component`, { method: 'POST', body: new Uint8Array([123, 125]) });
    expect((await test.app.request(untyped)).status).toBe(415);
  });

  it('refuses compressed bodies, saying so', async () => {
    const response = await post('{}', 'application/json', { 'content-encoding': 'gzip' });
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });

  it('points at every fault and stores nothing', async () => {
    const response = await postObject([
      PLAIN,
      { uri: 'javascript:alert(1)', label: 'X' },
      { uri: 'https://c.example/b.js', latest: 'perhaps', shapes: ['ok:1', 'no iri'], colour: 'red' },
      {
        ...PLAIN,
        capability: [{ invocation: [{ type: 'ElementInvocation', element: 'div', mapping: [] }] }],
      },
    ]);
    expect(response.status).toBe(422);
    expect((await errorsOf(response)).map(({ pointer }) => pointer).sort()).toEqual([
      '/1/uri',
      '/2',
      '/2/colour',
      '/2/latest',
      '/2/shapes/1',
      '/3/capability/0/invocation/0/element',
    ]);
    expect(await test.registry.size()).toBe(0);
  });

  it('refuses two different descriptions of one uri, but not the same one twice', async () => {
    const response = await postObject([PLAIN, PLAIN, { ...PLAIN, label: 'B' }]);
    expect(response.status).toBe(422);
    expect((await errorsOf(response)).map(({ pointer }) => pointer)).toEqual(['/2/uri']);
    expect((await postObject([PLAIN, PLAIN])).status).toBe(201);
  });

  it('does not save what it could not answer', async () => {
    expect((await postObject(PLAIN, { accept: 'image/png' })).status).toBe(406);
    expect(await test.registry.size()).toBe(0);
  });
});

describe('who may write', () => {
  it.each([[{ write: 'off' }], [{ write: 'open', mode: 'mirror' }]] as const)(
    'has no write endpoint with %j',
    async (config) => {
      test = await createTestApp(config);
      const response = await postObject(PLAIN);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      const removal = await test.app.request(`/c/${URI}`, { method: 'DELETE' });
      expect([removal.status, removal.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      const document = await (await test.app.request('/openapi.json')).json();
      expect(document).not.toHaveProperty(['paths', '/component', 'post']);
    },
  );

  it.each<[string, Record<string, string>, number]>([
    ['no token', {}, 401],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, 401],
    ['a wrong token', { authorization: `Bearer ${TOKEN}x` }, 403],
    ['the token', { authorization: `bearer ${TOKEN}` }, 201],
  ])('with %s', async (_what, headers, status) => {
    test = await createTestApp({ write: 'operator', operatorToken: TOKEN });
    const response = await postObject(PLAIN, headers);
    expect(response.status).toBe(status);
    expect(response.headers.has('www-authenticate')).toBe(status === 401);
    const removal = await test.app.request(`/c/${URI}`, { method: 'DELETE', headers });
    expect(removal.status).toBe(status === 201 ? 204 : status);
  });

  it('asks for the token before it reads a body', async () => {
    test = await createTestApp({ write: 'operator', operatorToken: TOKEN });
    expect((await post('rubbish', 'text/plain')).status).toBe(401);
  });
});
