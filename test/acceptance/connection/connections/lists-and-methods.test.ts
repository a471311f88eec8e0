import { beforeAll, describe, expect, test } from 'vitest';
import { connect, invite, connectionPath as path } from '../../../support/connection-requests.js';
import { ALICE, BASE, BOB, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;
const SOURCE = 'https://pod.example/é?x=1#y';

let node: TestService;
beforeAll(async () => {
  node = await startService();
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
  const second = await startService({ after: first });
  expect((await second.send('/connection/')).text).toBe(before);
  const newest = await connect(second, ALICE);
  expect(decodeURIComponent((await second.send('/connection/?limit=1')).json[0].uri)).toBe(newest);
});
