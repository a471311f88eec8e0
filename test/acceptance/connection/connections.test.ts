import { beforeAll, describe, expect, test } from 'vitest';
import {
  change,
  connect,
  invite,
  invitePath,
  connectionPath as path,
} from '../../support/connection-requests.js';
import { ALICE, BASE, BOB, startService, type TestService } from '../adapters/connection-app.js';

const encode = encodeURIComponent;
const SOURCE = 'https://pod.example/é?x=1#y';

let node: TestService;
beforeAll(async () => {
  node = await startService();
});

const get = async (uri: string) => (await node.send(path(uri))).json;
const post = (body: unknown, headers = {}) => node.send('/connection/', { method: 'POST', body, headers });

describe('making a connection', () => {
  test('answers 201, its place and all five fields, URIs percent-encoded', async () => {
    const configuration = { accessToken: 't', deep: { a: [1, null] } };
    const body = { configuration, state: 'CONNECTING', source: SOURCE, holder: encode(ALICE) };
    const { status, json, text, headers } = await post(body);
    expect([status, json]).toEqual([201, { ...body, uri: json.uri, source: encode(SOURCE) }]);
    expect(headers.get('location')).toBe(`${BASE}/connection/${json.uri}`);
    expect(headers.get('cache-control')).toBe('no-store');
    const read = await node.send(path(decodeURIComponent(json.uri)));
    expect([read.text, read.headers.get('etag')]).toEqual([text, headers.get('etag')]);
  });

  test('needs a source and, from the operator, a holder', async () => {
    const bare = { source: SOURCE, holder: ALICE };
    expect((await post(bare)).json).toMatchObject({ state: 'NOTCONNECTED', configuration: {} });
    for (const missing of ['source', 'holder']) {
      const { status, json } = await post({ ...bare, [missing]: undefined });
      const errors = [{ pointer: `/${missing}`, detail: `${missing} is missing` }];
      expect([status, json.errors]).toEqual([422, errors]);
    }
  });

  test.each([
    ['a uri of the client', { uri: 'urn:x' }, '/uri'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['an unknown state', { state: 'connected' }, '/state'],
    ['a configuration that is null', { configuration: null }, '/configuration'],
    ['a source that is no URI', { source: 'pod' }, '/source'],
    ['a holder of half a character', { holder: 'urn:\ud800' }, '/holder'],
    ['a token with a line break', { configuration: { accessToken: 'a\nb' } }, '/configuration/accessToken'],
    ['no resource', { configuration: { resources: ['urn:x', 'x'] } }, '/configuration/resources/1'],
  ])('refuses %s', async (_, more, pointer) => {
    const before = (await node.send('/connection/')).text;
    const { status, json } = await post({ source: SOURCE, holder: ALICE, ...more });
    expect([status, json.errors]).toMatchObject([422, [{ pointer }]]);
    expect((await node.send('/connection/')).text).toBe(before);
  });

  test.each([
    ['{"source":', {}, 400],
    ['null', {}, 422],
    ['{}', { 'content-type': 'text/plain' }, 415],
    [`{"source":"${'x'.repeat(100_001)}"}`, {}, 413],
  ])('a body %.12s with %j is refused with %i', async (body, headers, status) => {
    expect((await post(body, headers)).status).toBe(status);
  });
});

describe('naming a connection', () => {
  test('raw, encoded, encoded twice, short, with a slash: one record', async () => {
    const uri = await connect(node, ALICE);
    const once = encode(uri);
    for (const written of [uri, once, encode(once), uri.split('/').at(-1), `${once}/`, `${uri}/`])
      expect((await node.send(`/connection/${written}`)).json?.uri).toBe(once);
  });

  test.each([
    ['/connection/%E0%A4%A', 400],
    ['/connection/unknown', 404],
    ['/connection/urn%3Anot%3Ahere', 404],
    ['/connection/a%0Ab', 404],
    [`/connection/urn:${'x'.repeat(5000)}`, 404],
  ])('%.40s is %i, for every method', async (where, status) => {
    const fields = { configuration: {}, state: 'CONNECTED', source: SOURCE, holder: ALICE };
    const put = { method: 'PUT', body: { uri: 'urn:not:here', ...fields } };
    for (const sent of [{}, put, { method: 'DELETE' }])
      expect((await node.send(where, sent)).status).toBe(status);
  });
});

describe('replacing a connection', () => {
  test('takes the whole object of this connection, and nothing less', async () => {
    const [uri, other] = [await connect(node, ALICE), await connect(node, ALICE)];
    const body = { ...(await get(uri)), state: 'NOTCONNECTED', source: 'urn:other', configuration: { a: 1 } };
    const replaced = await node.send(path(uri), { method: 'PUT', body });
    expect([replaced.status, replaced.json]).toEqual([200, { ...body, source: encode('urn:other') }]);
    for (const field of Object.keys(body)) {
      const { status, json } = await change(node, path(uri), { [field]: undefined });
      expect([status, json.errors]).toEqual([422, [{ pointer: `/${field}`, detail: `${field} is missing` }]]);
    }
    expect((await change(node, path(uri), { uri: other })).json.errors).toMatchObject([{ pointer: '/uri' }]);
    expect(await get(uri)).toEqual(replaced.json);
  });

  test('is guarded by If-Match, deleting too', async () => {
    const uri = await connect(node, ALICE);
    const { headers, json } = await node.send(path(uri));
    const etag = headers.get('etag') ?? '';
    const guarded = async (match: string, method: string, state = 'CONNECTING') => {
      const sent = { method, headers: { 'if-match': match } };
      return (await node.send(path(uri), method === 'PUT' ? { ...sent, body: { ...json, state } } : sent))
        .status;
    };
    expect([await guarded('"other"', 'PUT'), await guarded(`W/${etag}`, 'PUT')]).toEqual([412, 412]);
    expect((await get(uri)).state).toBe('CONNECTED');
    // Of two who saw the same state, one wins.
    const both = [guarded(`"other", ${etag}`, 'PUT'), guarded(etag, 'PUT', 'NOTCONNECTED')];
    expect((await Promise.all(both)).sort()).toEqual([200, 412]);
    expect(await guarded('*', 'PUT', 'CONNECTED')).toBe(200);
    expect([await guarded('"other"', 'DELETE'), await guarded(etag, 'DELETE')]).toEqual([412, 204]);
    expect((await node.send(path(uri))).status).toBe(404);
    expect((await node.send(path(uri), { method: 'DELETE' })).status).toBe(404);
  });
});

describe('an invite whose connection is deleted', () => {
  /** An invite that the operator's PUTs have brought into a state, with a connection. */
  async function withConnection(state: 'linking' | 'linked') {
    const uri = await connect(node, ALICE);
    const where = invitePath(await invite(node, ALICE));
    await change(node, where, { state: 'linking', connection: uri });
    if (state === 'linked') await change(node, where, { state });
    const before = (await node.send(where)).json;
    expect([before.state, before.connection]).toEqual([state, uri]);
    return { uri, where, before };
  }

  test('has neither connection nor exchange any more, and stays linked', async () => {
    const { uri, where, before } = await withConnection('linked');
    const other = await withConnection('linked');
    const exchange = `/exchange/${encode(before.exchange)}`;
    expect((await node.send(exchange)).json.connection).toBe(uri);
    expect((await node.send(path(uri), { method: 'DELETE' })).status).toBe(204);
    const after = (await node.send(where)).json;
    expect(after).toEqual({ ...before, connection: null, exchange: null });
    expect((await node.send(exchange)).status).toBe(404);
    expect((await change(node, where, {})).json).toEqual(after);
    expect((await node.send(other.where)).json).toEqual(other.before);
  });

  test('has none either while it was being linked, or when the connection goes to another holder', async () => {
    const linking = await withConnection('linking');
    await node.send(path(linking.uri), { method: 'DELETE' });
    expect((await node.send(linking.where)).json).toEqual({ ...linking.before, connection: null });
    const { uri, where, before } = await withConnection('linked');
    expect((await change(node, path(uri), { holder: encode(BOB) })).status).toBe(200);
    expect((await node.send(where)).json).toEqual({ ...before, connection: null, exchange: null });
  });
});

describe('lists', () => {
  let lists: TestService;
  const made: string[] = [];
  beforeAll(async () => {
    lists = await startService();
    for (let i = 0; i < 7; i++) made.unshift(await connect(lists, i === 3 ? BOB : ALICE));
    await invite(lists, ALICE);
  });

  const uris = (json: { uri: string }[]) => json.map(({ uri }) => decodeURIComponent(uri));

  test('of a holder: connections, and invites at two places', async () => {
    const of = (where: string) => lists.send(`/holder/${where}`);
    const connections = await of(`${encode(BOB)}/connections`);
    expect(uris(connections.json)).toEqual([made[3]]);
    for (const where of [`${encode(encode(BOB))}/connections/`, 'https://bob.example/card%23me/connections'])
      expect((await of(where)).text).toBe(connections.text);
    const invites = await of(`${encode(ALICE)}/invites`);
    expect(invites.json).toMatchObject([{ holder: ALICE, state: 'not linked' }]);
    expect((await of(`${encode(ALICE)}/connections?type=invite`)).text).toBe(invites.text);
    expect((await of(`${encode(ALICE)}/connections?type=else`)).status).toBe(422);
    expect((await of('urn:nobody/connections')).json).toEqual([]);
    expect((await of('nobody%2F/connections')).status).toBe(404);
  });
});

test.each([
  ['/connection/', 'GET, HEAD, POST, OPTIONS'],
  ['/connection/urn:x', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ['/resource/refresh', 'POST, OPTIONS'],
])('%s has %s, for pages of any origin', async (where, allow) => {
  const preflight = await node.send(where, { method: 'OPTIONS', token: null });
  expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, allow]);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization.*If-Match/);
  const refused = await node.send(where, { method: 'PATCH' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
});
