import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALICE,
  BASE,
  BOB,
  connect,
  invite,
  startService,
  type TestService,
} from '../../support/connection-app.js';

const encode = encodeURIComponent;
const SOURCE = 'https://pod.example/é?x=1#y';

let node: TestService;
beforeAll(async () => {
  node = await startService();
});

const path = (uri: string) => `/connection/${encode(uri)}`;
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

describe('lists', () => {
  let lists: TestService;
  const made: string[] = [];
  beforeAll(async () => {
    lists = await startService();
    for (let i = 0; i < 7; i++)
      made.unshift(await connect(lists, i === 3 ? BOB : ALICE, { configuration: { i } }));
    await invite(lists, ALICE);
  });

  const uris = (json: { uri: string }[]) => json.map(({ uri }) => decodeURIComponent(uri));
  const next = (headers: Headers) =>
    /^<https:\/\/node\.example([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

  test('answer everything, newest first, and keep the order when a record is replaced', async () => {
    const third = made[2] ?? '';
    const body = { ...(await lists.send(path(third))).json, state: 'NOTCONNECTED' };
    await lists.send(path(third), { method: 'PUT', body });
    const all = await lists.send('/connection/');
    expect(uris(all.json)).toEqual(made);
    expect(all.headers.get('link')).toBeNull();
  });

  test('are paged by links, which survive what is deleted and made on the way', async () => {
    const seen: string[] = [];
    for (let at: string | undefined = '/connection/?limit=2'; at; ) {
      const page = await lists.send(at);
      expect(page.json.length).toBeLessThanOrEqual(2);
      seen.push(...uris(page.json));
      at = next(page.headers);
      if (seen.length === 2) {
        await lists.send(path(seen[1] ?? ''), { method: 'DELETE' });
        await connect(lists, ALICE);
      }
    }
    expect(seen).toEqual(made);
  });

  test('go on after a uri, plain or encoded', async () => {
    for (const after of [made[4], encode(made[4] ?? '')]) {
      const page = await lists.send(`/connection/?after=${encode(after ?? '')}`);
      expect(uris(page.json)).toEqual(made.slice(5));
    }
  });

  test.each([
    'limit=0',
    'limit=x',
    'limit=10001',
    'after=',
    'after=urn:none',
    'limit=1&limit=2',
    'colour=red',
  ])('refuse ?%s', async (query) => {
    const { status, json } = await lists.send(`/connection/?${query}`);
    expect([status, json.errors[0].pointer]).toEqual([422, `?${query.split('=')[0]}`]);
  });

  test('of a holder: connections, and invites at two places', async () => {
    const connections = await lists.send(`/holder/${encode(BOB)}/connections`);
    expect(uris(connections.json)).toEqual([made[3]]);
    expect((await lists.send(`/holder/${encode(encode(BOB))}/connections/`)).text).toBe(connections.text);
    expect((await lists.send('/holder/https://bob.example/card%23me/connections')).text).toBe(
      connections.text,
    );
    const invites = await lists.send(`/holder/${encode(ALICE)}/invites`);
    expect(invites.json).toMatchObject([{ holder: ALICE, state: 'not linked' }]);
    expect((await lists.send(`/holder/${encode(ALICE)}/connections?type=invite`)).text).toBe(invites.text);
    expect(
      (await lists.send(`/holder/${encode(ALICE)}/connections?type=connection&limit=1`)).json,
    ).toHaveLength(1);
    expect((await lists.send(`/holder/${encode(ALICE)}/connections?type=else`)).status).toBe(422);
    expect((await lists.send(`/holder/${encode(ALICE)}/invites?type=invite`)).status).toBe(422);
    expect((await lists.send('/holder/urn:nobody/connections')).json).toEqual([]);
    expect((await lists.send('/holder/nobody%2F/connections')).status).toBe(404);
  });
});

describe('methods and origins', () => {
  const PLACES: [string, string][] = [
    ['/connection/', 'GET, HEAD, POST, OPTIONS'],
    ['/connection/urn:x', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['/holder/urn:x/connections', 'GET, HEAD, OPTIONS'],
    ['/holder/urn:x/invites', 'GET, HEAD, OPTIONS'],
    ['/invite', 'GET, HEAD, POST, OPTIONS'],
    ['/invite/urn:x', 'GET, HEAD, PUT, OPTIONS'],
    ['/invite/urn:x/link', 'GET, HEAD, OPTIONS'],
    ['/exchange/urn:x', 'GET, HEAD, OPTIONS'],
    ['/resource/', 'GET, HEAD, OPTIONS'],
    ['/resource/urn:x', 'GET, HEAD, OPTIONS'],
    ['/resource/refresh', 'POST, OPTIONS'],
  ];

  test.each(PLACES)('%s has %s', async (where, allow) => {
    const preflight = await node.send(where, { method: 'OPTIONS', token: null });
    expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, allow]);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/Authorization.*If-Match/);
    expect(preflight.headers.get('access-control-allow-methods')).toBe(allow);
    const refused = await node.send(where, { method: 'PATCH' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, allow]);
  });

  test('HEAD is GET without the body', async () => {
    const uri = await connect(node, ALICE);
    const [get, head] = [await node.send(path(uri)), await node.send(path(uri), { method: 'HEAD' })];
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
    expect((await node.send('/connection/', { method: 'HEAD' })).text).toBe('');
  });
});

test('below another path everything is there, and nowhere else', async () => {
  const below = await startService({ path: '/data/connect' });
  const body = { source: SOURCE, holder: ALICE };
  const made = await below.send('/data/connect/connection/', { method: 'POST', body });
  const location = made.headers.get('location') ?? '';
  expect(location).toMatch(`${BASE}/data/connect/connection/`);
  expect((await below.send(location.slice(BASE.length))).text).toBe(made.text);
  expect((await below.send(new URL(decodeURIComponent(made.json.uri)).pathname)).text).toBe(made.text);
  expect((await below.send('/connection/')).status).toBe(404);
});

test('everything is there after a restart, in the same order', async () => {
  const first = await startService();
  for (let i = 0; i < 12; i++) await connect(first, i % 2 ? ALICE : BOB);
  const before = (await first.send('/connection/')).text;
  await first.service.close();
  expect((await first.send('/connection/')).status).toBe(503);
  const second = await startService({ dataDir: first.dataDir });
  expect((await second.send('/connection/')).text).toBe(before);
  const newest = await connect(second, ALICE);
  expect(decodeURIComponent((await second.send('/connection/?limit=1')).json[0].uri)).toBe(newest);
});
