import { beforeAll, describe, expect, test } from 'vitest';
import { change, invite, linkTo, invitePath as path, submit } from '../../support/connection-requests.js';
import { fakeServer, inTurtle } from '../../support/fake-server.js';
import { ALICE, BASE, BOB, OPERATOR, startService, type TestService } from '../adapters/connection-app.js';

const encode = encodeURIComponent;
const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

let node: TestService;
beforeAll(async () => {
  node = await startService();
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

const post = (body: object, token = OPERATOR) => node.send('/invite/', { method: 'POST', body, token });

describe('a new invite', () => {
  test('is read back by any spelling of its uri', async () => {
    const { status, json, text, headers } = await post(NINE);
    expect([status, json]).toEqual([201, { ...NINE, uri: json.uri }]);
    expect(headers.get('location')).toBe(`${BASE}/invite/${encode(json.uri)}`);
    for (const written of [json.uri, encode(json.uri), encode(encode(json.uri)), json.uri.split('/').at(-1)])
      expect((await node.send(`/invite/${written}`)).text).toBe(text);
  });

  test('may have null in all fields but the purpose, which means the same as leaving them out', async () => {
    const none = Object.fromEntries(Object.keys(NINE).map((field) => [field, null]));
    const { purpose } = NINE;
    const token = await node.token(ALICE);
    const [nulls, absent] = [await post({ ...none, purpose }, token), await post({ purpose }, token)];
    expect([nulls.status, absent.status]).toEqual([201, 201]);
    expect({ ...nulls.json, uri: null }).toEqual({ ...absent.json, uri: null });
    const { holder, expires } = nulls.json;
    expect([holder, Number(expires)]).toEqual([ALICE, NOW + 30 * DAY]);
    for (const holder of [null, undefined]) {
      const { status, json } = await post({ purpose, holder });
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
    const { status: refused, json } = await post({ ...NINE, ...more });
    expect([refused, json.errors?.[0].pointer]).toEqual([status, pointer]);
    if (detail) expect(json.errors[0].detail).toMatch(detail);
    expect((await node.send('/invite/')).text).toBe(before);
  });
});

describe('replacing an invite', () => {
  test('takes the whole of it, guarded by If-Match and by its states', async () => {
    const { json, headers } = await post(NINE);
    const put = (more: object, match = '*') =>
      node.send(path(json.uri), {
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
    const { json } = await post(NINE);
    const nulls = { uri: null, holder: null, state: null, created: null, expires: null, exchange: null };
    for (const token of [OPERATOR, await node.token(ALICE)]) {
      const put = { method: 'PUT', body: { ...json, ...nulls }, token };
      const { status, json: kept } = await node.send(path(json.uri), put);
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
    const { inviteLink } = (await own.send(`${path(URI)}/link`, { token })).json;
    expect((await submit(own, inviteLink.slice(BASE.length), { source: pod.url('/data') })).status).toBe(200);
    expect((await own.send(path(URI), { token })).json).toMatchObject({ holder, state: 'linked' });
    expect((await own.send('/exchange/urn:my:exchange', { token })).json.holder).toBe(holder);
    expect((await own.send('/invite/', { token })).json).toHaveLength(1);
  }
  const moved = { method: 'PUT', body: { ...alices.json, holder: BOB } };
  expect((await own.send(path(URI), moved)).status).toBe(409);

  const before = (await own.send('/invite/')).text;
  await own.service.close();
  own = await startService({ after: own });
  expect((await own.send('/invite/')).text).toBe(before);
  expect((await own.send(path(URI), { token: bob })).json.holder).toBe(BOB);
});

describe('an invite link', () => {
  test('is refused for an invite that has expired or is linked', async () => {
    const pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
    const late = await invite(node, ALICE, { expires: String(node.time.now + 1000) });
    node.time.now += 1000;
    expect((await node.send(`${path(late)}/link`)).status).toBe(410);
    const used = await invite(node, ALICE);
    await submit(node, await linkTo(node, used), { source: pod.url('/') });
    expect((await node.send(`${path(used)}/link`)).status).toBe(409);
    expect((await change(node, path(used), { purpose: 'urn:other' })).status).toBe(409);
  });
});
