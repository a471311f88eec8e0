import { beforeAll, describe, expect, test } from 'vitest';
import { change, connect, connectionPath, invite, invitePath } from '../../support/connection-requests.js';
import { type FakeServer, fakeServer, inTurtle } from '../../support/fake-server.js';
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
  pod.on(`/${name}.ttl`, inTurtle(`<#it> <urn:says> "secret of ${name}" .`));
  const configuration = { accessToken: `token-of-${name}` };
  const connection = await connect(node, holder, { source, configuration });
  const linked = await invite(node, holder);
  await change(node, invitePath(linked), { state: 'linking' });
  const { exchange } = (await change(node, invitePath(linked), { state: 'linked', connection })).json;
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
  const [connection, invited] = [connectionPath(bobs.connection), invitePath(bobs.invite)];
  const connectionBody = (await node.send(connection)).json;
  const inviteBody = (await node.send(invited)).json;
  return [
    ['GET', connection, undefined],
    ['HEAD', connection, undefined],
    ['PUT', connection, connectionBody],
    ['PUT', connection, { ...connectionBody, holder: ALICE }],
    ['DELETE', connection, undefined],
    ['GET', `/holder/${encode(BOB)}/connections`, undefined],
    ['GET', `/holder/${encode(BOB)}/connections?type=invite`, undefined],
    ['GET', `/holder/${encode(BOB)}/invites`, undefined],
    ['GET', invited, undefined],
    ['GET', invitePath(bobs.linked), undefined],
    ['PUT', invited, inviteBody],
    ['PUT', invited, { ...inviteBody, holder: ALICE }],
    ['GET', `${invited}/link`, undefined],
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
    const put = (path: string, body: object) => node.send(path, { method: 'PUT', token: alice, body });
    expect((await put(connectionPath(own.uri), { ...own, holder: BOB })).status).toBe(403);
    expect(await everything()).toBe(before);

    const mine = (await post('/invite/', { purpose: 'urn:x' })).json;
    const changed = (more: object) => put(invitePath(mine.uri), { ...mine, ...more });
    expect((await changed({ state: 'linking' })).status).toBe(200);
    const toBobs = await changed({ state: 'linked', connection: bobs.connection });
    const toNobodys = await changed({ state: 'linked', connection: 'urn:nobodys' });
    expect([toBobs.status, toBobs.text]).toEqual([409, toNobodys.text]);
  });
});

test('a document that two holders read looks to each of them as it looked to their own token', async () => {
  pod.on('/shared.ttl', ({ headers }) => inTurtle(`<#it> <urn:for> "${headers.authorization}" .`));
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
  await change(node, connectionPath(uri), { holder: BOB });
  const { text } = await node.send('/resource/', { token: bob });
  expect(text).not.toContain('secret of alice');
});

test('nothing secret is logged, nor told by a problem', async () => {
  const secret = 'hush-hush-hush';
  await connect(node, ALICE, { configuration: { accessToken: secret, password: secret } });
  await node.send('/connection/', { token: `${secret}.${secret}.${secret}` });
  await node.send('/resource/refresh', { method: 'POST' });
  const wrong = { source: 'urn:x', holder: ALICE, configuration: { accessToken: `${secret}\n` } };
  const refused = await node.send('/connection/', { method: 'POST', body: wrong });
  expect([refused.status, node.logged.length > 0]).toEqual([422, true]);
  expect([refused.text, ...node.logged].join('\n')).not.toContain(secret);
});
