import { request } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Rehearsal } from '../../src/explain/rehearsal.js';
import { type InProcessNode, NETWORKED, startInProcess } from '../acceptance/adapters/in-process-node.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { listedUris, publish, sync, textOf } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod, turtle, VOC } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';

const uri = (name: string) => `https://c.example/${name}.js`;

let server: FakeServer;
let pod: FakePod;
let node: InProcessNode;

beforeEach(async () => {
  server = await fakeServer();
  pod = new FakePod(server);
});

const start = (config: object = {}) => startInProcess({ config: { ...NETWORKED, ...config } });

const authorized = (token = OPERATOR_TOKEN) => ({ authorization: `Bearer ${token}` });
const ask = (url: unknown, headers: Record<string, string> = authorized()) =>
  fetch(`${node.url}/rehearse`, postJson({ url }, headers));

async function rehearse(url: string): Promise<Rehearsal> {
  const answer = await ask(url);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as Rehearsal;
}

/** Everything that a reader could tell the node's states apart by, digests of all that is stored included. */
async function state(): Promise<string> {
  const paths = ['/feed/sources', '/feed', '/peers', '/storage', '/component?graphs=all&format=nq'];
  const texts = await Promise.all(paths.map((path) => textOf(node, path, '*/*')));
  const { revision, sources } = await node.getJson<{ revision: object; sources: object }>('/status');
  return JSON.stringify([texts, revision, sources]);
}

const urisOf = ({ examples }: Rehearsal['effects']['adds']) => examples.map((one) => one.uri);

describe('rehearsing a pod', () => {
  it('says what it would add, change, hide and refuse, and changes nothing', async () => {
    pod.put('/first/theirs.ttl', turtle('theirs'));
    for (const name of ['new', 'mine', 'same', 'theirs']) pod.put(`/pod/${name}.ttl`, turtle(name));
    pod.put('/pod/invalid.ttl', `<${uri('invalid')}> a <${VOC}component>.`);
    pod.put('/pod/broken.ttl', '<unclosed');
    node = await start({ pods: [server.url('/first/')] });
    await sync(node);
    await publish(node, { uri: uri('mine'), label: 'Mine' }, { uri: uri('same'), label: 'same' });
    const before = await state();

    const { effects, refuses, ...rest } = await rehearse(server.url('/pod/'));

    expect(rest).toEqual({
      ...{ url: server.url('/pod/'), kind: 'pod', components: 4, documents: 6 },
      introduces: { peers: NONE, pods: NONE, refused: { counts: {}, examples: [] } },
    });
    const local = { kind: 'local', url: 'urn:registry:local' };
    const first = { kind: 'pod', url: server.url('/first/') };
    const because = 'configured pods come before what was posted to the node';
    const isBehind = `${first.url} stands before ${server.url('/pod/')} in the configuration`;
    const told = (name: string, more: object = {}) => ({ uri: uri(name), label: name, ...more });
    expect(effects).toEqual({
      trusts: { count: 1, examples: [told('new')] },
      adds: { count: 1, examples: [told('new')] },
      changes: { count: 1, examples: [told('mine', { fields: ['label'] })] },
      hides: { count: 2, examples: ['mine', 'same'].map((name) => told(name, { source: local, because })) },
      shadowed: { count: 1, examples: [told('theirs', { source: first, because: isBehind })] },
      unchanged: 0,
    });
    const invalid = { document: server.url('/pod/invalid.ttl'), subject: uri('invalid') };
    expect(refuses.invalid.examples).toEqual([{ ...invalid, reasons: [expect.stringMatching('label')] }]);
    expect(refuses.documents.examples).toEqual([
      { url: server.url('/pod/broken.ttl'), error: expect.stringMatching(/Turtle|parse|on line/i) },
    ]);
    expect(await state()).toBe(before);

    // What it foretold is what happens.
    await node.stop();
    const pods = [server.url('/first/'), server.url('/pod/')];
    await node.start({ config: { ...NETWORKED, pods } });
    await sync(node);
    expect(await listedUris(node)).toEqual(['mine', 'new', 'same', 'theirs'].map(uri));
    expect((await node.getJson<{ label: string }>(`/c/${uri('mine')}`)).label).toBe('mine');
    const again = await rehearse(server.url('/pod'));
    expect([again.known, again.url]).toEqual(['configured', server.url('/pod/')]);
    expect([again.effects.unchanged, again.effects.adds.count, again.effects.hides.count]).toEqual([3, 0, 0]);
  });

  it('says what of a pod that is only learned would become trusted, and what it would win', async () => {
    pod.put('/pod/one.ttl', turtle('one'));
    pod.put('/pod/mine.ttl', turtle('mine'));
    const peer = await start({ pods: [server.url('/pod/')] });
    node = await start({ peers: [peer.url] });
    await publish(node, { uri: uri('mine'), label: 'mine' });
    await sync(peer);
    await sync(node);
    // Read by the node itself, and not taken from the peer.
    await waitFor(async () => {
      const { source } = await node.getJson<{ source?: { kind: string } }>(`/c/${uri('one')}`);
      return source?.kind === 'pod';
    });
    const { known, effects } = await rehearse(server.url('/pod/'));
    expect([known, urisOf(effects.trusts)]).toEqual(['learned', [uri('one')]]);
    expect(urisOf(effects.hides)).toEqual([uri('mine')]);
    expect(effects.hides.examples[0]?.source).toMatchObject({ kind: 'local' });
  });

  it('looks at 20,000 components, and says that there is no room for more', async () => {
    const names = Array.from({ length: 20_001 }, (_, i) => String(i));
    pod.put('/pod/many.ttl', names.map((name) => turtle(name)).join('\n'));
    node = await start();
    const { components, lookedAt, effects, refuses } = await rehearse(server.url('/pod/'));
    expect([components, effects.adds.count, lookedAt]).toEqual([20_000, 20_000, 20_000]);
    expect(refuses.omitted).toEqual({ components: 1, documents: 0 });
  });

  it('says why it cannot be read', async () => {
    node = await start();
    pod.answerAll({ status: 403 });
    const error = expect.stringContaining('403');
    expect(await rehearse(server.url('/pod/'))).toMatchObject({ kind: 'pod', error, components: 0 });
  });
});

const NONE = { count: 0, examples: [] };

it('rehearsing a node says whom it would introduce, and what of it would be refused', async () => {
  pod.put('/shared/one.ttl', turtle('one'));
  pod.put('/other/two.ttl', turtle('two'));
  const peer = await start({
    pods: [server.url('/shared/'), server.url('/other/')],
    peers: ['https://denied.example', 'https://public.example'],
  });
  await sync(peer);
  await publish(peer, { uri: uri('posted'), label: 'Posted' });
  node = await start({ pods: [server.url('/shared/')], discovery: { deny: ['denied.example'] } });
  await sync(node);
  const before = await state();

  const rehearsal = await rehearse(peer.url);

  expect(rehearsal).toMatchObject({ url: peer.url, kind: 'peer', components: 2 });
  expect(urisOf(rehearsal.effects.adds)).toEqual([uri('posted'), uri('two')]);
  // What it passes on of a pod that nobody has named stays what a stranger says.
  expect(urisOf(rehearsal.effects.trusts)).toEqual([uri('posted')]);
  expect(rehearsal.refuses.pods.examples).toEqual([{ url: server.url('/shared/'), isDenied: false }]);
  expect(rehearsal.introduces).toEqual({
    peers: { count: 1, examples: [{ url: 'https://public.example', hops: 1 }] },
    pods: { count: 1, examples: [{ url: server.url('/other/'), hops: 1 }] },
    refused: {
      counts: { denied: 1 },
      examples: [{ url: 'https://denied.example', kind: 'peer', reason: 'denied', via: peer.url }],
    },
  });
  expect(await state()).toBe(before);
  expect(await node.getJson('/peers')).toEqual([]);
});

describe('POST /rehearse', () => {
  it('is for the operator, and for addresses of others', async () => {
    node = await start();
    expect((await ask(server.url('/pod/'), {})).status).toBe(401);
    expect((await ask(server.url('/pod/'), authorized('wrong'))).status).toBe(403);
    const schemes = ['javascript:alert(1)', 'ftp://a.example/', 'https://u:p@a.example/'];
    for (const url of [undefined, 7, ...schemes, node.url])
      expect([url, (await ask(url)).status]).toEqual([url, 422]);
    expect(server.requests).toEqual([]);
  });

  it('does one at a time, and ends when nobody waits any more', async () => {
    node = await start();
    server.everything({ hang: 'answer' });
    // Of a request that is aborted, `fetch` makes a new connection, which the node would wait for when it stops.
    const { body, ...asking } = postJson({ url: server.url('/pod/') }, authorized());
    const leaving = request(`${node.url}/rehearse`, { ...asking, agent: false });
    const left = new Promise((resolve) => leaving.on('close', resolve));
    leaving.on('error', () => undefined).end(body);
    await waitFor(() => server.requests.length > 0);
    const statusOf = async () => {
      const answer = await ask(server.url('/pod/'));
      await answer.text();
      return answer.status;
    };
    expect(await statusOf()).toBe(409);
    leaving.destroy();
    await left;
    pod.answerAll();
    pod.put('/pod/one.ttl', turtle('one'));
    await waitFor(async () => (await statusOf()) === 200);
  });
});
