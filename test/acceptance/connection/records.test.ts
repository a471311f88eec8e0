import { beforeAll, describe, expect, test } from 'vitest';
import {
  change,
  connect,
  invite,
  invitePath,
  linkTo,
  connectionPath as path,
  submit,
} from '../../support/connection-requests.js';
import { fakeServer, inTurtle } from '../../support/fake-server.js';
import { ALICE, BASE, BOB, OPERATOR, startService, type TestService } from '../adapters/connection-app.js';

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
    const bare = await post({ source: SOURCE, holder: ALICE });
    expect(bare.json).toMatchObject({ state: 'NOTCONNECTED', configuration: {} });
  });

  test.each([
    ['no source', { source: undefined }, '/source'],
    ['no holder, from the operator', { holder: undefined }, '/holder'],
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

describe('an invite whose connection', () => {
  const remove = (uri: string) => node.send(path(uri), { method: 'DELETE' });
  const hand = (uri: string) => change(node, path(uri), { holder: encode(BOB) });

  test.each<[string, 'linking' | 'linked', (uri: string) => Promise<{ status: number }>]>([
    ['is deleted', 'linked', remove],
    ['is deleted before it is linked', 'linking', remove],
    ['goes to another holder', 'linked', hand],
  ])(
    '%s has neither it nor its exchange any more, and stays %s; no other one changes',
    async (_, state, end) => {
      const [uri, others] = [await connect(node, ALICE), await connect(node, ALICE)];
      const [where, other] = [invitePath(await invite(node, ALICE)), invitePath(await invite(node, ALICE))];
      for (const [one, connection] of [[where, uri] as const, [other, others] as const]) {
        await change(node, one, { state: 'linking', connection });
        if (state === 'linked') await change(node, one, { state });
      }
      const [before, kept] = [(await node.send(where)).json, (await node.send(other)).json];
      const exchange = `/exchange/${encode(before.exchange)}`;
      expect([before.state, before.connection]).toEqual([state, uri]);
      if (state === 'linked') expect((await node.send(exchange)).json.connection).toBe(uri);
      expect((await end(uri)).status).toBeLessThan(300);
      const after = (await node.send(where)).json;
      expect(after).toEqual({ ...before, connection: null, exchange: null });
      expect((await node.send(exchange)).status).toBe(404);
      expect((await change(node, where, {})).json).toEqual(after);
      expect((await node.send(other)).json).toEqual(kept);
    },
  );
});

test('the lists of a holder are connections, and invites at two places', async () => {
  const lists = await startService();
  await connect(lists, ALICE);
  const bobs = await connect(lists, BOB);
  await invite(lists, ALICE);
  const of = (where: string) => lists.send(`/holder/${where}`);
  const connections = await of(`${encode(BOB)}/connections`);
  expect(connections.json.map(({ uri }: { uri: string }) => uri)).toEqual([encode(bobs)]);
  for (const where of [`${encode(encode(BOB))}/connections/`, 'https://bob.example/card%23me/connections'])
    expect((await of(where)).text).toBe(connections.text);
  const invites = await of(`${encode(ALICE)}/invites`);
  expect(invites.json).toMatchObject([{ holder: ALICE, state: 'not linked' }]);
  expect((await of(`${encode(ALICE)}/connections?type=invite`)).text).toBe(invites.text);
  expect((await of(`${encode(ALICE)}/connections?type=else`)).status).toBe(422);
  expect((await of('urn:nobody/connections')).json).toEqual([]);
  expect((await of('nobody%2F/connections')).status).toBe(404);
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

const NINE = {
  uri: null,
  exchange: null,
  holder: ALICE,
  state: 'not linked',
  purpose: 'https://purpose.example/p',
  connection: null,
  created: '1600000000000',
  expires: '4102444800000',
  accepted: null,
};

const postInvite = (body: object, token = OPERATOR) => node.send('/invite/', { method: 'POST', body, token });

describe('a new invite', () => {
  test('is read back by any spelling of its uri', async () => {
    const { status, json, text, headers } = await postInvite(NINE);
    expect([status, json]).toEqual([201, { ...NINE, uri: json.uri }]);
    expect(headers.get('location')).toBe(`${BASE}/invite/${encode(json.uri)}`);
    for (const written of [json.uri, encode(json.uri), encode(encode(json.uri)), json.uri.split('/').at(-1)])
      expect((await node.send(`/invite/${written}`)).text).toBe(text);
  });

  test('may have null in all fields but the purpose, which means the same as leaving them out', async () => {
    const none = Object.fromEntries(Object.keys(NINE).map((field) => [field, null]));
    const { purpose } = NINE;
    const token = await node.token(ALICE);
    const [nulls, absent] = [
      await postInvite({ ...none, purpose }, token),
      await postInvite({ purpose }, token),
    ];
    expect([nulls.status, absent.status]).toEqual([201, 201]);
    expect({ ...nulls.json, uri: null }).toEqual({ ...absent.json, uri: null });
    const { holder, expires } = nulls.json;
    expect([holder, Number(expires)]).toEqual([ALICE, node.time.now + 30 * 86_400_000]);
    for (const holder of [null, undefined]) {
      const { status, json } = await postInvite({ purpose, holder });
      expect([status, json.errors]).toEqual([422, [{ pointer: '/holder', detail: 'holder is missing' }]]);
    }
  });

  test.each([
    [{ expires: 'tomorrow' }, 422, '/expires', /numeric string/],
    [{ expires: '99999999999999999' }, 422, '/expires', /numeric string/],
    [{ created: 1600000000000 }, 422, '/created', /string/],
    [{ purpose: undefined }, 422, '/purpose', /is missing/],
    [{ purpose: 'x' }, 422, '/purpose', /absolute URI/],
    [{ state: 'LINKED' }, 422, '/state', /must be one of/],
    [{ colour: 'red' }, 422, '/colour', /can be given/],
    [{ state: 'linked' }, 409, undefined, undefined],
    [{ state: 'linking' }, 409, undefined, undefined],
    [{ connection: 'urn:connection:1' }, 409, undefined, undefined],
    [{ accepted: '1' }, 409, undefined, undefined],
  ])('with %j is refused with %i', async (more, status, pointer, detail) => {
    const before = (await node.send('/invite/')).text;
    const { status: refused, json } = await postInvite({ ...NINE, ...more });
    expect([refused, json.errors?.[0].pointer]).toEqual([status, pointer]);
    if (detail) expect(json.errors[0].detail).toMatch(detail);
    expect((await node.send('/invite/')).text).toBe(before);
  });
});

describe('replacing an invite', () => {
  test('takes the whole of it, guarded by If-Match and by its states', async () => {
    const { json, headers } = await postInvite(NINE);
    const put = (more: object, match = '*') =>
      node.send(invitePath(json.uri), {
        method: 'PUT',
        body: { ...json, ...more },
        headers: { 'if-match': match },
      });
    expect((await put({ exchange: undefined })).status).toBe(422);
    expect((await put({ uri: 'urn:other' })).json.errors[0].pointer).toBe('/uri');
    expect((await put({ created: '1' })).json.errors[0].pointer).toBe('/created');
    expect((await put({ state: 'linking' }, '"x"')).status).toBe(412);
    expect((await put({ state: 'linked' })).status).toBe(409);
    expect((await put({ state: 'linking' }, headers.get('etag') ?? '')).status).toBe(200);
    expect((await put({})).json).toEqual(json);
  });

  test('keeps what is null in the fields that the service assigns, the holder included', async () => {
    const { json } = await postInvite(NINE);
    const nulls = { uri: null, holder: null, state: null, created: null, expires: null, exchange: null };
    for (const token of [OPERATOR, await node.token(ALICE)]) {
      const put = { method: 'PUT', body: { ...json, ...nulls }, token };
      const { status, json: kept } = await node.send(invitePath(json.uri), put);
      expect([status, kept]).toEqual([200, json]);
    }
  });
});

test('two holders may choose one uri: the guess learns nothing, and each has an invite of their own', async () => {
  const URI = 'urn:my:invite';
  const pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
  let own = await startService();
  const [alice, bob] = [await own.token(ALICE), await own.token(BOB)];
  const body = { uri: URI, purpose: 'urn:x', exchange: 'urn:my:exchange' };
  const make = (token: string, more = {}) =>
    own.send('/invite/', { method: 'POST', token, body: { ...body, ...more } });
  const [alices, bobs] = [await make(alice), await make(bob)];
  expect([alices.status, bobs.status]).toEqual([201, 201]);
  // One's own can be taken once, and to the operator all are taken.
  expect([(await make(bob)).status, (await make(OPERATOR, { holder: 'urn:carol' })).status]).toEqual([
    409, 409,
  ]);

  for (const holder of [ALICE, BOB]) {
    const token = holder === ALICE ? alice : bob;
    const { inviteLink } = (await own.send(`${invitePath(URI)}/link`, { token })).json;
    expect((await submit(own, inviteLink.slice(BASE.length), { source: pod.url('/data') })).status).toBe(200);
    expect((await own.send(invitePath(URI), { token })).json).toMatchObject({ holder, state: 'linked' });
    expect((await own.send('/exchange/urn:my:exchange', { token })).json.holder).toBe(holder);
    expect((await own.send('/invite/', { token })).json).toHaveLength(1);
  }
  const moved = { method: 'PUT', body: { ...alices.json, holder: BOB } };
  expect((await own.send(invitePath(URI), moved)).status).toBe(409);

  // After a restart, each of them sees what they saw before.
  const seen = () =>
    Promise.all([alice, bob].map(async (token) => (await own.send(invitePath(URI), { token })).text));
  const before = await seen();
  await own.service.close();
  own = await startService({ after: own });
  expect(await seen()).toEqual(before);
});

test('a link is refused for an invite that has expired or is linked', async () => {
  const pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
  const late = await invite(node, ALICE, { expires: String(node.time.now + 1000) });
  node.time.now += 1000;
  expect((await node.send(`${invitePath(late)}/link`)).status).toBe(410);
  const used = await invite(node, ALICE);
  await submit(node, await linkTo(node, used), { source: pod.url('/') });
  expect((await node.send(`${invitePath(used)}/link`)).status).toBe(409);
  expect((await change(node, invitePath(used), { purpose: 'urn:other' })).status).toBe(409);
});
