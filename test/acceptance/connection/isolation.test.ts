import { beforeAll, describe, expect, test } from 'vitest';
import { connect, invite } from '../../support/connection-requests.js';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';
import { ALICE, BOB, type SendOptions, startService, type TestService } from '../adapters/connection-app.js';

const encode = encodeURIComponent;

/** What there is of one holder. */
interface Belongings {
  connection: string;
  invite: string;
  linked: string;
  exchange: string;
  source: string;
}

let pod: FakeServer;
let node: TestService;
let bobs: Belongings;
let alice: string;
let bob: string;

async function furnish(holder: string, name: string): Promise<Belongings> {
  const source = pod.url(`/${name}.ttl`);
  pod.on(`/${name}.ttl`, {
    headers: { 'content-type': 'text/turtle' },
    body: `<#it> <urn:says> "secret of ${name}" .`,
  });
  const connection = await connect(node, holder, {
    source,
    configuration: { accessToken: `token-of-${name}` },
  });
  const linked = await invite(node, holder);
  const put = (more: object) => node.send(`/invite/${encode(linked)}`, { method: 'PUT', body: more });
  const { json } = await node.send(`/invite/${encode(linked)}`);
  await put({ ...json, state: 'linking' });
  const { exchange } = (await put({ ...json, state: 'linked', connection })).json;
  return { connection, invite: await invite(node, holder), linked, exchange, source };
}

beforeAll(async () => {
  pod = await fakeServer();
  node = await startService();
  await furnish(ALICE, 'alice');
  bobs = await furnish(BOB, 'bob');
  await node.send('/resource/refresh', { method: 'POST' });
  alice = await node.token(ALICE);
  bob = await node.token(BOB);
});

/** Every path that names a record, with bodies that would be right for its owner. */
async function requestsForBobs(): Promise<[string, string, unknown][]> {
  const connectionBody = (await node.send(`/connection/${encode(bobs.connection)}`)).json;
  const inviteBody = (await node.send(`/invite/${encode(bobs.invite)}`)).json;
  return [
    ['GET', `/connection/${encode(bobs.connection)}`, undefined],
    ['HEAD', `/connection/${encode(bobs.connection)}`, undefined],
    ['PUT', `/connection/${encode(bobs.connection)}`, connectionBody],
    ['PUT', `/connection/${encode(bobs.connection)}`, { ...connectionBody, holder: ALICE }],
    ['DELETE', `/connection/${encode(bobs.connection)}`, undefined],
    ['GET', `/holder/${encode(BOB)}/connections`, undefined],
    ['GET', `/holder/${encode(BOB)}/connections?type=invite`, undefined],
    ['GET', `/holder/${encode(BOB)}/invites`, undefined],
    ['GET', `/invite/${encode(bobs.invite)}`, undefined],
    ['GET', `/invite/${encode(bobs.linked)}`, undefined],
    ['PUT', `/invite/${encode(bobs.invite)}`, inviteBody],
    ['PUT', `/invite/${encode(bobs.invite)}`, { ...inviteBody, holder: ALICE }],
    ['GET', `/invite/${encode(bobs.invite)}/link`, undefined],
    ['GET', `/exchange/${encode(bobs.exchange)}`, undefined],
    ['GET', `/resource/${encode(bobs.source)}`, undefined],
  ];
}

/** Everything there is, as the operator sees it. */
async function everything(): Promise<string> {
  const lists = ['/connection/', '/invite/', '/resource/'].map((path) => node.send(path));
  return (await Promise.all(lists)).map(({ text }) => text).join('\n');
}

describe('what belongs to another holder', () => {
  test('answers like what does not exist, on every path and method, and stays as it is', async () => {
    const before = await everything();
    for (const [method, path, body] of await requestsForBobs()) {
      const sent: SendOptions = { method, token: alice, ...(body ? { body } : {}) };
      const answer = await node.send(path, sent);
      // To Alice, records of Bob's are not there; that she may not name Bob as a holder says nothing of them.
      expect(answer.status, `${method} ${path}`).toBe(404);
      const nowhere = path.replaceAll(/(?<=^\/[a-z]+\/)[^/?]+/g, encode('urn:nowhere'));
      const unknown = await node.send(nowhere, sent);
      expect([unknown.status, unknown.text], `${method} ${nowhere}`).toEqual([answer.status, answer.text]);
    }
    expect(await everything()).toBe(before);
  });

  test('is in none of the lists', async () => {
    for (const path of ['/connection/', '/invite/', '/resource/', `/holder/${encode(ALICE)}/connections`]) {
      const { text, json } = await node.send(path, { token: alice });
      expect(json.length, path).toBeGreaterThan(0);
      expect(text, path).not.toMatch(/bob/i);
    }
    const refreshed = await node.send('/resource/refresh', { method: 'POST', token: alice });
    expect(refreshed.json).toMatchObject([{ triples: [{ object: { value: 'secret of alice' } }] }]);
  });

  test('cannot be made, taken over, or linked to', async () => {
    const before = await everything();
    const post = (path: string, body: unknown) => node.send(path, { method: 'POST', token: alice, body });
    expect((await post('/connection/', { source: 'urn:x', holder: BOB })).status).toBe(403);
    expect((await post('/invite/', { purpose: 'urn:x', holder: BOB })).status).toBe(403);
    const own = (await node.send('/connection/', { token: alice })).json[0];
    const put = { method: 'PUT', token: alice, body: { ...own, holder: BOB } };
    expect((await node.send(`/connection/${encode(own.uri)}`, put)).status).toBe(403);
    expect(await everything()).toBe(before);

    const mine = (await post('/invite/', { purpose: 'urn:x' })).json;
    const change = (more: object) =>
      node.send(`/invite/${encode(mine.uri)}`, { method: 'PUT', token: alice, body: { ...mine, ...more } });
    expect((await change({ state: 'linking' })).status).toBe(200);
    const toBobs = await change({ state: 'linked', connection: bobs.connection });
    const toNobodys = await change({ state: 'linked', connection: 'urn:nobodys' });
    expect([toBobs.status, toBobs.text]).toEqual([409, toNobodys.text]);
  });
});

test('a document that two holders read looks to each of them as it looked to their own token', async () => {
  pod.on('/shared.ttl', ({ headers }) => ({
    headers: { 'content-type': 'text/turtle' },
    body: `<#it> <urn:for> "${headers.authorization}" .`,
  }));
  const source = pod.url('/shared.ttl');
  await connect(node, ALICE, { source, configuration: { accessToken: 'a' } });
  await connect(node, BOB, { source, configuration: { accessToken: 'b' } });
  await node.send('/resource/refresh', { method: 'POST' });
  const seenBy = async (token: string) =>
    (await node.send(`/resource/${encode(source)}`, { token })).json.triples[0].object.value;
  expect([await seenBy(alice), await seenBy(bob)]).toEqual(['Bearer a', 'Bearer b']);
});

test('a connection that is handed on takes nothing that was read along', async () => {
  const source = pod.url('/alice.ttl');
  const uri = await connect(node, ALICE, { source });
  await node.send('/resource/refresh', { method: 'POST' });
  const { json } = await node.send(`/connection/${encode(uri)}`);
  await node.send(`/connection/${encode(uri)}`, { method: 'PUT', body: { ...json, holder: BOB } });
  const { text } = await node.send('/resource/', { token: bob });
  expect(text).not.toContain('secret of alice');
});

test('nothing secret is logged, nor told by a problem', async () => {
  const secret = 'hush-hush-hush';
  await connect(node, ALICE, { configuration: { accessToken: secret, password: secret } });
  await node.send('/connection/', {
    method: 'POST',
    body: { configuration: { accessToken: `${secret}\n` } },
  });
  await node.send('/connection/', { token: `${secret}.${secret}.${secret}` });
  await node.send('/resource/refresh', { method: 'POST' });
  expect(node.logged.join('\n')).not.toContain(secret);
  expect(node.logged.length).toBeGreaterThan(0);
  const refused = await node.send('/connection/', {
    method: 'POST',
    body: { source: 'urn:x', holder: ALICE, configuration: { accessToken: `${secret}\n` } },
  });
  expect(refused.status).toBe(422);
  expect(refused.text).not.toContain(secret);
});
