import { expect, test } from 'vitest';
import type { Given } from '../../src/node/given.js';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

const uri = (name: string) => `https://c.example/${name}.js`;

/** A node whose peer reads a pod of its own. */
async function introduced(
  settings: object,
  overrides: Partial<Given> = {},
): Promise<{ reader: NetworkNode; peer: NetworkNode; pod: string }> {
  const server = await fakeServer();
  cleanup(() => server.close());
  new FakePod(server).put('/pod/one.ttl', turtle('one'));
  const pod = server.url('/pod/');
  const [reader, peer] = (await networkNodes(2, overrides)) as [NetworkNode, NetworkNode];
  await peer.start({ pods: [pod] });
  await peer.sync();
  await reader.start({ peers: [peer.url], ...settings });
  await reader.sync();
  return { reader, peer, pod };
}

async function decide(node: NetworkNode, url: string, decision: string): Promise<void> {
  const response = await fetch(`${node.url}/discovery`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPERATOR_TOKEN}` },
    body: JSON.stringify({ url, decision }),
  });
  expect(response.status).toBe(204);
}

const refused = (node: NetworkNode) =>
  node.json<{ refused: { counts: object; examples: object[] } }>('/status').then((status) => status.refused);

test('nothing is learned before the operator approves it, and what is rejected is forgotten', async () => {
  const settings = { discovery: { approve: true } };
  const { reader, peer, pod } = await introduced(settings);
  // The peer relays what it reads itself; the pod itself is not read.
  expect((await reader.sources()).map(({ url }) => url)).not.toContain(pod);
  expect(await refused(reader)).toMatchObject({
    counts: { 'not-approved': 1 },
    examples: [{ url: pod, kind: 'pod', reason: 'not-approved', via: peer.url }],
  });

  const network = () => reader.text('/network', 'text/html');
  expect(await network()).toMatch(new RegExp(`approval of the operator .discovery.approve.*?${pod}`, 's'));

  await decide(reader, pod, 'approve');
  await reader.sync();
  expect(await reader.source(pod)).toMatchObject({ configured: false, hops: 1, components: 1 });
  expect((await refused(reader)).counts).toEqual({});

  await reader.stop();
  await reader.start({ peers: [peer.url], ...settings });
  expect((await reader.sources()).map(({ url }) => url)).toContain(pod);

  await decide(reader, pod, 'reject');
  expect((await reader.sources()).map(({ url }) => url)).not.toContain(pod);
  expect((await refused(reader)).counts).toEqual({ rejected: 1 });
  expect(await network()).toMatch(new RegExp(`rejected by the operator.*?${pod}`, 's'));
  // What was rejected is not taken from a peer either.
  await reader.sync();
  expect(await reader.uris()).toEqual([]);
  await decide(reader, pod, 'forget');
  expect((await refused(reader)).counts).toEqual({ 'not-approved': 1 });
  // What nobody has decided about is the peer's word: the peer was trusted with it.
  await reader.sync();
  expect(await reader.uris()).toEqual([uri('one')]);
});

test('what is denied goes, is not taken from a peer, and comes back when it is denied no more', async () => {
  const { reader, peer, pod } = await introduced({ discovery: { depth: 0 } });
  await peer.publish({ uri: uri('posted') });
  await reader.sync();
  expect(await reader.uris()).toEqual([uri('one'), uri('posted')]);

  await reader.stop();
  await peer.stop();
  await reader.start({ peers: [peer.url], discovery: { deny: ['127.0.0.1'] } });
  // The peer does not answer, and what it says itself stays.
  await waitFor(async () => (await reader.uris()).length === 1);
  expect(await reader.uris()).toEqual([uri('posted')]);
  await peer.start({ pods: [pod] });
  await reader.sync();
  expect(await reader.uris()).toEqual([uri('posted')]);
  expect(await reader.json(`/why?uri=${encodeURIComponent(`${pod}one.ttl`)}`)).toMatchObject({
    refused: [{ url: pod, reason: 'denied', via: peer.url }],
  });

  await reader.stop();
  await reader.start({ peers: [peer.url], discovery: { depth: 0 } });
  await reader.sync();
  expect(await reader.uris()).toEqual([uri('one'), uri('posted')]);
});

test('an operator who forgets network.allowPrivate sees it on the page of the network, and in one line of the log', async () => {
  const { reader, peer, pod } = await introduced({ network: { allowPrivate: false } });
  await reader.sync();
  expect(await refused(reader)).toEqual({
    counts: { 'private-address': 1 },
    examples: [{ url: pod, kind: 'pod', reason: 'private-address', via: peer.url }],
  });
  const home = await reader.text('/', 'text/html');
  // What only the operator can do is nothing for visitors.
  expect(home).not.toContain('network.allowPrivate');
  // As a visitor sees it: the operator is told more.
  const answer = await fetch(`${reader.url}/network`, { headers: { accept: 'text/html' } });
  const network = await answer.text();
  expect(network).toContain('1 refused');
  expect(network).toContain('network.allowPrivate');
  expect(network).toMatch(new RegExp(`data-key="peer ${peer.url}".*?<span class="state attention">`, 's'));
  // Strangers are not told where.
  for (const page of [home, network]) expect(page).not.toContain(pod);
  const status = await fetch(`${reader.url}/status`);
  expect(((await status.json()) as { refused: object }).refused).toEqual({
    counts: { 'private-address': 1 },
    examples: [],
  });
  expect(await reader.text('/metrics', '*/*')).toContain(
    'registry_refused_addresses{reason="private-address"} 1',
  );
  const told = reader.log.filter(({ reason }) => reason === 'private-address');
  expect(told).toEqual([expect.objectContaining({ count: 1, example: pod, via: peer.url })]);
});
