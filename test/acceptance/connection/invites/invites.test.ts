import { beforeAll, describe, expect, test } from 'vitest';
import { ALICE, BASE, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;

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

test('the answer to a new invite links the page on which it is accepted', async () => {
  const body = { purpose: 'https://purpose.example/p', holder: ALICE };
  const { json, headers } = await node.send('/invite/', { method: 'POST', body });
  const { inviteLink } = (await node.send(`/invite/${encode(json.uri)}/link`)).json;
  expect(headers.get('link')).toBe(`<${inviteLink}>; rel="edit-form"`);
  expect(headers.get('access-control-expose-headers')).toContain('Link');
});

describe('a new invite', () => {
  const post = (body: object, token?: string) =>
    node.send('/invite/', { method: 'POST', body, ...(token ? { token } : {}) });
  const purpose = 'https://purpose.example/p';

  test.each([
    ['is past', { expires: '1600000000000' }, /is past.*2020-09-13T12:26:40.000Z in milliseconds since 1970/],
    [
      'is this very moment',
      { expires: String(Date.UTC(2026, 10, 20, 12)) },
      /is past.*milliseconds since 1970/,
    ],
    ['was a second ago', { expires: String(Date.UTC(2026, 10, 20, 12) - 1000) }, /milliseconds.*now is \d+$/],
    ['counts seconds', { expires: '1893456000' }, /milliseconds since 1970.*looks like seconds/],
    [
      'is before it was created',
      { created: '4102444800000', expires: '4102444799999' },
      /not after created.*both are in milliseconds since 1970/,
    ],
    [
      'is the moment in which it was created',
      { created: '4102444800000', expires: '4102444800000' },
      /not after created/,
    ],
  ])('whose expires %s is refused, and is told the unit', async (_, more, detail) => {
    const before = (await node.send('/invite/')).text;
    const { status, json } = await post({ ...NINE, ...more });
    expect([status, json.errors]).toEqual([
      422,
      [{ pointer: '/expires', detail: expect.stringMatching(detail) }],
    ]);
    expect((await node.send('/invite/')).text).toBe(before);
  });

  test.each(['created before now', 'created later than now'])(
    'without expires is open for 30 days: %s',
    async (when) => {
      const created = node.time.now + (when.includes('later') ? 90 : -90) * 86_400_000;
      const { json } = await post({ purpose, holder: ALICE, created: String(created) });
      expect(Number(json.expires)).toBe(Math.max(created, node.time.now) + 30 * 86_400_000);
    },
  );

  test('may have null in all fields but the purpose, which means the same as leaving them out', async () => {
    const none = Object.fromEntries(Object.keys(NINE).map((field) => [field, null]));
    const token = await node.token(ALICE);
    const [nulls, absent] = [await post({ ...none, purpose }, token), await post({ purpose }, token)];
    expect([nulls.status, absent.status]).toEqual([201, 201]);
    expect({ ...nulls.json, uri: null }).toEqual({ ...absent.json, uri: null });
    expect(nulls.json.holder).toBe(ALICE);
  });

  test.each([null, undefined])('of the operator with the holder %s is refused', async (holder) => {
    const { status, json } = await post({ purpose, holder });
    expect([status, json.errors]).toEqual([422, [{ pointer: '/holder', detail: 'holder is missing' }]]);
  });
});

describe('invites over HTTP', () => {
  test('are made from all nine fields, and read back by any spelling of their uri', async () => {
    const made = await node.send('/invite/', { method: 'POST', body: NINE });
    expect([made.status, made.json]).toEqual([201, { ...NINE, uri: made.json.uri }]);
    const { uri } = made.json;
    expect(made.headers.get('location')).toBe(`${BASE}/invite/${encode(uri)}`);
    for (const written of [uri, encode(uri), encode(encode(uri)), uri.split('/').at(-1)]) {
      expect((await node.send(`/invite/${written}`)).text).toBe(made.text);
      expect((await node.send(`/invite/${written}/link/`)).status).toBe(200);
    }
  });

  test('keep a uri that is given, which can be taken once', async () => {
    const body = { ...NINE, uri: 'urn:my:invite' };
    expect((await node.send('/invite', { method: 'POST', body })).json.uri).toBe('urn:my:invite');
    expect((await node.send('/invite', { method: 'POST', body })).status).toBe(409);
  });

  test.each([
    [{ purpose: undefined }, 422, '/purpose'],
    [{ purpose: 'x' }, 422, '/purpose'],
    [{ created: 1600000000000 }, 422, '/created'],
    [{ expires: 'tomorrow' }, 422, '/expires'],
    [{ expires: '99999999999999999' }, 422, '/expires'],
    [{ state: 'LINKED' }, 422, '/state'],
    [{ colour: 'red' }, 422, '/colour'],
    [{ state: 'linked' }, 409, undefined],
    [{ accepted: '1' }, 409, undefined],
  ])('%j is refused with %i', async (more, status, pointer) => {
    const before = (await node.send('/invite/')).text;
    const refused = await node.send('/invite/', { method: 'POST', body: { ...NINE, ...more } });
    expect([refused.status, refused.json.errors?.[0].pointer]).toEqual([status, pointer]);
    expect((await node.send('/invite/')).text).toBe(before);
  });

  test('are replaced whole, guarded by If-Match and by their states', async () => {
    const { json, headers } = await node.send('/invite/', { method: 'POST', body: NINE });
    const put = (body: object, match?: string) =>
      node.send(`/invite/${encode(json.uri)}`, {
        method: 'PUT',
        body,
        ...(match ? { headers: { 'if-match': match } } : {}),
      });
    expect((await put({ ...json, exchange: undefined })).status).toBe(422);
    expect((await put({ ...json, uri: 'urn:other' })).json.errors[0].pointer).toBe('/uri');
    expect((await put({ ...json, state: 'linking' }, '"x"')).status).toBe(412);
    expect((await put({ ...json, state: 'linked' })).status).toBe(409);
    expect((await put({ ...json, state: 'linking' }, headers.get('etag') ?? '')).status).toBe(200);
    expect((await put({ ...json, state: 'linked' })).status).toBe(409);
    expect((await put(json)).json).toEqual(json);
  });

  test('keep what is null in the fields that the service assigns, the holder included', async () => {
    const { json } = await node.send('/invite/', { method: 'POST', body: NINE });
    const nulls = { uri: null, holder: null, state: null, created: null, expires: null, exchange: null };
    for (const token of [undefined, await node.token(ALICE)]) {
      const put = { method: 'PUT', body: { ...json, ...nulls }, ...(token ? { token } : {}) };
      const { status, json: kept } = await node.send(`/invite/${encode(json.uri)}`, put);
      expect([status, kept]).toEqual([200, json]);
    }
  });
});
