import { beforeAll, describe, expect, test } from 'vitest';
import { connect, invite, connectionPath as path } from '../../../support/connection-requests.js';
import { ALICE, BASE, BOB, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;
const SOURCE = 'https://pod.example/é?x=1#y';

let node: TestService;
beforeAll(async () => {
  node = await startService();
});

const get = async (uri: string) => (await node.send(path(uri))).json;

describe('making a connection', () => {
  test('answers 201, its place and all five fields, URIs percent-encoded', async () => {
    const configuration = JSON.parse('{"accessToken":"t","deep":{"a":[1,null]},"__proto__":{"kept":true}}');
    const body = { configuration, state: 'CONNECTING', source: SOURCE, holder: encode(ALICE) };
    const made = await node.send('/connection/', { method: 'POST', body });
    expect(made.status).toBe(201);
    const { uri } = made.json;
    expect(decodeURIComponent(uri)).toMatch(`${BASE}/connection/`);
    expect(made.json).toEqual({
      uri,
      configuration,
      state: 'CONNECTING',
      source: encode(SOURCE),
      holder: encode(ALICE),
    });
    expect(made.text).toContain('"__proto__":{"kept":true}');
    expect(made.headers.get('location')).toBe(`${BASE}/connection/${uri}`);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const read = await node.send(path(decodeURIComponent(uri)));
    expect(read.text).toBe(made.text);
    expect(read.headers.get('etag')).toBe(made.headers.get('etag'));
  });

  test('needs a source and, from the operator, a holder', async () => {
    const bare = { source: SOURCE, holder: ALICE };
    const made = await node.send('/connection', { method: 'POST', body: bare });
    expect(made.json).toMatchObject({ state: 'NOTCONNECTED', configuration: {} });
    for (const missing of ['source', 'holder']) {
      const body = { ...bare, [missing]: undefined };
      const { status, json } = await node.send('/connection/', { method: 'POST', body });
      expect([status, json.errors]).toEqual([
        422,
        [{ pointer: `/${missing}`, detail: `${missing} is missing` }],
      ]);
    }
  });

  test.each([
    ['a uri of the client', { uri: 'urn:x' }, '/uri'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['an unknown state', { state: 'connected' }, '/state'],
    ['a configuration that is a list', { configuration: [] }, '/configuration'],
    ['a configuration that is null', { configuration: null }, '/configuration'],
    ['a source that is no URI', { source: 'pod' }, '/source'],
    ['a source that is a number', { source: 7 }, '/source'],
    ['a holder of half a character', { holder: 'urn:\ud800' }, '/holder'],
    ['a token with a line break', { configuration: { accessToken: 'a\nb' } }, '/configuration/accessToken'],
    ['resources that are no list', { configuration: { resources: 'urn:x' } }, '/configuration/resources'],
    [
      'a resource that is no URI',
      { configuration: { resources: ['urn:x', 'x'] } },
      '/configuration/resources/1',
    ],
    [
      'credentials without a secret',
      { configuration: { clientCredentials: { id: 'i' } } },
      '/configuration/clientCredentials/secret',
    ],
  ])('refuses %s', async (_, more, pointer) => {
    const before = (await node.send('/connection/')).text;
    const body = { source: SOURCE, holder: ALICE, ...more };
    const { status, json } = await node.send('/connection/', { method: 'POST', body });
    expect(status).toBe(422);
    expect(json.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([pointer]);
    expect((await node.send('/connection/')).text).toBe(before);
  });

  test.each([
    ['{"source":', {}, 400],
    ['[]', {}, 422],
    ['null', {}, 422],
    ['"x"', {}, 422],
    ['{}', { 'content-type': 'text/plain' }, 415],
    ['{}', { 'content-encoding': 'gzip' }, 415],
    [`{"source":"${'x'.repeat(100_001)}"}`, {}, 413],
  ])('a body %.12s with %j is refused with %i', async (body, headers, status) => {
    expect((await node.send('/connection/', { method: 'POST', body, headers })).status).toBe(status);
  });
});

test('a configuration may be deep, but not without end', async () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const post = (configuration: string) =>
    node.send('/connection/', {
      method: 'POST',
      body: `{"source":"urn:x","holder":"urn:y","configuration":${configuration}}`,
    });
  expect((await post(nested(60))).status).toBe(201);
  for (const levels of [100, 15_000]) expect((await post(nested(levels))).status).toBe(422);
});

describe('naming a connection', () => {
  test('raw, encoded, encoded twice, short, with a slash: one record', async () => {
    const uri = await connect(node, ALICE);
    const once = encode(uri);
    for (const written of [uri, once, encode(once), uri.split('/').at(-1), `${once}/`, `${uri}/`]) {
      expect((await node.send(`/connection/${written}`)).json?.uri).toBe(once);
    }
  });

  test.each([
    ['/connection/%E0%A4%A', 400],
    ['/connection/https%3A%2F%2Fx%', 400],
    ['/connection/unknown', 404],
    ['/connection/urn%3Anot%3Ahere', 404],
    ['/connection/a%0Ab', 404],
    [`/connection/urn:${'x'.repeat(5000)}`, 404],
  ])('%.40s is %i, for every method', async (where, status) => {
    const body = {
      uri: 'urn:not:here',
      configuration: {},
      state: 'CONNECTED',
      source: SOURCE,
      holder: ALICE,
    };
    expect((await node.send(where)).status).toBe(status);
    expect((await node.send(where, { method: 'PUT', body })).status).toBe(status);
    expect((await node.send(where, { method: 'DELETE' })).status).toBe(status);
  });
});

describe('replacing a connection', () => {
  test('takes the whole object, plain or encoded', async () => {
    const uri = await connect(node, ALICE);
    const body = { ...(await get(uri)), state: 'NOTCONNECTED', source: 'urn:other', configuration: { a: 1 } };
    const replaced = await node.send(path(uri), { method: 'PUT', body });
    expect([replaced.status, replaced.json]).toEqual([200, { ...body, source: encode('urn:other') }]);
    expect(await get(uri)).toEqual(replaced.json);
  });

  test.each(['uri', 'configuration', 'state', 'source', 'holder'])(
    'refuses one without %s',
    async (field) => {
      const uri = await connect(node, ALICE);
      const body = { ...(await get(uri)), [field]: undefined };
      expect((await node.send(path(uri), { method: 'PUT', body })).json).toMatchObject({
        status: 422,
        errors: [{ pointer: `/${field}` }],
      });
    },
  );

  test('refuses the uri of another', async () => {
    const [one, other] = [await connect(node, ALICE), await connect(node, ALICE)];
    const body = { ...(await get(one)), uri: other };
    expect((await node.send(path(one), { method: 'PUT', body })).json).toMatchObject({
      status: 422,
      errors: [{ pointer: '/uri' }],
    });
  });

  test('is guarded by If-Match', async () => {
    const uri = await connect(node, ALICE);
    const { headers, json } = await node.send(path(uri));
    const etag = headers.get('etag') ?? '';
    const put = (match: string, state: string) =>
      node.send(path(uri), { method: 'PUT', body: { ...json, state }, headers: { 'if-match': match } });
    expect((await put('"other"', 'CONNECTING')).status).toBe(412);
    expect((await put(`W/${etag}`, 'CONNECTING')).status).toBe(412);
    expect((await get(uri)).state).toBe('CONNECTED');
    expect((await put(`"other", ${etag}`, 'CONNECTING')).status).toBe(200);
    expect((await put(etag, 'CONNECTED')).status).toBe(412);
    expect((await put('*', 'CONNECTED')).status).toBe(200);
    const drop = (match: string) =>
      node.send(path(uri), { method: 'DELETE', headers: { 'if-match': match } });
    expect((await drop('"other"')).status).toBe(412);
    expect((await drop(etag)).status).toBe(204);
  });

  test('of two who saw the same state, one wins', async () => {
    const uri = await connect(node, ALICE);
    const { headers, json } = await node.send(path(uri));
    const put = (state: string) =>
      node.send(path(uri), {
        method: 'PUT',
        body: { ...json, state },
        headers: { 'if-match': headers.get('etag') ?? '' },
      });
    const answers = await Promise.all([put('CONNECTING'), put('NOTCONNECTED')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

test('deleting a connection leaves nothing of it', async () => {
  const uri = await connect(node, ALICE);
  expect((await node.send(path(uri), { method: 'DELETE' })).status).toBe(204);
  expect((await node.send(path(uri))).status).toBe(404);
  expect((await node.send(path(uri), { method: 'DELETE' })).status).toBe(404);
  expect((await node.send('/connection/')).text).not.toContain(encode(uri));
});

describe('an invite whose connection is deleted', () => {
  /** An invite that the holder's PUTs have brought into a state, with a connection. */
  async function withConnection(state: 'linking' | 'linked') {
    const uri = await connect(node, ALICE);
    const where = `/invite/${await invite(node, ALICE)}`;
    const put = async (more: object) => {
      const body = { ...(await node.send(where)).json, ...more };
      expect((await node.send(where, { method: 'PUT', body })).status).toBe(200);
    };
    await put({ state: 'linking', connection: uri });
    if (state === 'linked') await put({ state });
    return { uri, where, before: (await node.send(where)).json };
  }

  test('has neither connection nor exchange any more, and stays linked', async () => {
    const { uri, where, before } = await withConnection('linked');
    const other = await withConnection('linked');
    const exchange = `/exchange/${encode(before.exchange)}`;
    expect(decodeURIComponent(before.connection)).toBe(uri);
    expect((await node.send(exchange)).json.connection).toBe(before.connection);
    expect((await node.send(path(uri), { method: 'DELETE' })).status).toBe(204);
    const after = (await node.send(where)).json;
    const ended = String(node.time.now);
    expect(after).toEqual({ ...before, connection: null, exchange: null, ended });
    expect((await node.send(exchange)).status).toBe(404);
    expect((await node.send(where, { method: 'PUT', body: after })).json).toEqual(after);
    expect((await node.send(where, { method: 'PUT', body: { ...after, ended: '1' } })).status).toBe(422);
    expect((await node.send(other.where)).json).toEqual(other.before);
  });

  test('has none either while it was being linked', async () => {
    const { uri, where, before } = await withConnection('linking');
    await node.send(path(uri), { method: 'DELETE' });
    expect((await node.send(where)).json).toEqual({ ...before, connection: null });
  });

  test('has none either when the connection goes to another holder', async () => {
    const { uri, where, before } = await withConnection('linked');
    const body = { ...(await get(uri)), holder: encode(BOB) };
    expect((await node.send(path(uri), { method: 'PUT', body })).status).toBe(200);
    const ended = String(node.time.now);
    expect((await node.send(where)).json).toEqual({ ...before, connection: null, exchange: null, ended });
  });
});
