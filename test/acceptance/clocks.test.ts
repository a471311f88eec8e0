import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { call, runTokenVerb } from '../support/node/connection-node.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { type ShiftedNode, startShiftedNode } from '../support/node/shifted-node.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';

const DAY = 24 * 3_600_000;
/** A node that reads a pod every second and a peer that tells of its changes, both of which say something. */
async function network(): Promise<ShiftedNode & { readonly pod: FakePod; readonly peer: NodeProcess }> {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  pod.put('/pod/one.ttl', turtle('one'));
  const peer = await startNode({ config: { write: 'open' } });
  const shifted = await startShiftedNode({
    config: { pods: [server.url('/pod/')], peers: [peer.url], sync: { schedule: '* * * * * *' } },
  });
  await waitFor(async () => (await listedUris(shifted.node)).length === 1);
  return { ...shifted, pod, peer };
}

async function post(node: NodeProcess, uri: string): Promise<void> {
  const body = JSON.stringify({ uri, label: uri });
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
  expect(status).toBe(201);
}

test.each([
  ['forward', 40 * DAY],
  ['back', -40 * DAY],
])(
  'a clock that jumps %s, and back again, keeps nobody from answering, and no poll from its time',
  async (_, ms) => {
    const { node, setClock, pod, peer } = await network();
    for (const [turn, offset] of [ms, 0].entries()) {
      const lines = node.log.length + node.stderr.length;
      await setClock(offset);
      pod.put(`/pod/${turn}.ttl`, turtle(`new-${turn}`));
      await post(peer, `https://c.example/posted-${turn}.js`);
      await waitFor(async () => (await listedUris(node)).length === 3);
      // What was deleted goes, too: everything is followed as before.
      await fetch(`${peer.url}/c/${encodeURIComponent(`https://c.example/posted-${turn}.js`)}`, {
        method: 'DELETE',
      });
      pod.delete(`/pod/${turn}.ttl`);
      await waitFor(async () => (await listedUris(node)).length === 1);
      expect(node.log.length + node.stderr.length - lines).toBeLessThan(300);
    }
    await node.stop();
  },
);

test('what was deleted before a clock jumped by half a year is gone at those that come later, and so is what was deleted since', async () => {
  const config = { write: 'open', listen: { port: await heldPort() } };
  const { node: peer, setClock } = await startShiftedNode({ config });
  const reader = await startNode({ config: { peers: [peer.url], sync: { schedule: '* * * * * *' } } });
  const remove = (name: string) =>
    fetch(`${peer.url}/c/${encodeURIComponent(uri(name))}`, { method: 'DELETE' });
  const uri = (name: string) => `https://c.example/${name}.js`;
  const reads = (...names: string[]) =>
    waitFor(async () => (await listedUris(reader)).join() === names.map(uri).join());
  for (const name of ['a', 'b', 'c']) await post(peer, uri(name));
  await reads('a', 'b', 'c');
  await reader.stop();
  await remove('a');
  await setClock(200 * DAY);
  await remove('b');
  await post(peer, uri('d'));
  await reader.restart();
  await reads('c', 'd');
  await setClock(0);
  await remove('c');
  await reads('d');
  await peer.stop();
  await peer.restart();
  await post(peer, uri('e'));
  await reads('d', 'e');
});

test('invites and tokens are judged by the clock as it is, and nothing is lost when that was wrong for a while', async () => {
  const { node, setClock } = await startShiftedNode({
    config: { connection: { enabled: true } },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  const holder = 'https://alice.example/profile#me';
  const token = await runTokenVerb(node, '--holder', holder, '--expires', '1d');
  const body = { purpose: 'https://study.example/', holder };
  const made = await call(node, 'POST', '/invite/', { body });
  expect(made.status).toBe(201);
  const path = `/invite/${encodeURIComponent(decodeURIComponent(made.json.uri))}`;
  const { json } = await call(node, 'GET', `${path}/link`);
  const page = async () => (await fetch(json.inviteLink.replace(/^https?:\/\/[^/]*/, node.url))).status;
  const own = async () => (await call(node, 'GET', path, { token })).status;
  expect([await page(), await own()]).toEqual([200, 200]);
  await setClock(40 * DAY);
  expect([await page(), await own()]).toEqual([410, 401]);
  await setClock(-40 * DAY);
  expect([await page(), await own()]).toEqual([200, 200]);
  const late = await call(node, 'POST', '/invite/', { body });
  expect(late.status).toBe(201);
  await setClock(0);
  expect([await page(), await own()]).toEqual([200, 200]);
  await node.stop();
});
