import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { type NetworkNode, networkNodes } from './adapters/in-process-node.js';

const LDP = 'http://www.w3.org/ns/ldp#';
const uri = (name: string) => `https://c.example/${name}.js`;

/** Addresses that are no IRIs (RFC 3987), and what they are percent-encoded. */
const ADDRESSES = [
  ['http://bad.example/?{x}', 'http://bad.example/?%7Bx%7D'],
  ['http://bad.example/a|b/', 'http://bad.example/a%7Cb/'],
  ['http://bad.example/?^`', 'http://bad.example/?%5E%60'],
  ['http://bad.example/a b', 'http://bad.example/a%20b'],
] as const;
/** One that percent-encoding does not help: no host has such a name. */
const HOPELESS = 'http://{bad}.example/';

async function server(): Promise<FakeServer> {
  const made = await fakeServer();
  cleanup(() => made.close());
  return made;
}

async function startNodes(...settings: readonly Record<string, unknown>[]): Promise<NetworkNode[]> {
  const nodes = await networkNodes(settings.length);
  for (const [i, node] of nodes.entries()) await node.start(settings[i]);
  return nodes;
}

/** As any RDF tool reads it. */
async function parsed(node: NetworkNode, path: string, type: string) {
  return new Parser({ format: type }).parse(await node.text(path, type));
}

test("a stranger's list with addresses that are no IRIs leaves this node's lists readable", async () => {
  const peer = await fakePeer();
  peer.storage = [...ADDRESSES.map(([address]) => address), HOPELESS, 'http://good.example/'];
  peer.peers = [HOPELESS, 'http://bad.example/nodes?{y}'];
  const [node] = (await startNodes({ peers: [peer.url] })) as [NetworkNode];
  await node.sync();
  const encoded = ADDRESSES.map(([, address]) => address);
  expect(await node.storage()).toEqual(expect.arrayContaining([...encoded, 'http://good.example/']));
  for (const path of ['/peers', '/storage'])
    expect((await parsed(node, path, 'text/turtle')).length).toBeGreaterThan(0);
  expect([...(await node.storage()), ...(await node.peers())]).not.toContain(HOPELESS);
  const why = `/why?uri=${encodeURIComponent(HOPELESS)}`;
  expect(await node.text(why, 'application/json')).toContain('"reason":"no-iri"');
  expect(await node.text(why, 'text/html')).toContain('RFC 3987');
  // Who reads this node gets all of it.
  const [reader] = (await startNodes({ peers: [node.url] })) as [NetworkNode];
  await reader.sync();
  expect(await reader.storage()).toEqual(expect.arrayContaining([...encoded, 'http://good.example/']));
});

test('a document whose name is no IRI has one here, and spoils nothing for those who read this node', async () => {
  const pod = new FakePod(await server());
  pod.put('/pod/a%7Cb.ttl', turtle('strange'));
  pod.put('/pod/c.ttl', turtle('plain'));
  const members = ['a|b.ttl', 'c.ttl'].map((name) => ({ '@id': name }));
  const listing = { '@id': '', '@type': [`${LDP}Container`], [`${LDP}contains`]: members };
  pod.faults.set('/pod/', {
    headers: { 'content-type': 'application/ld+json' },
    body: JSON.stringify(listing),
  });
  const [node] = (await startNodes({ pods: [pod.server.url('/pod/')] })) as [NetworkNode];
  await node.sync();
  expect(await node.uris()).toEqual([uri('plain'), uri('strange')]);
  const dataset = await parsed(node, '/component?graphs=all', 'application/n-quads');
  expect(new Set(dataset.map(({ graph }) => graph.value))).toEqual(
    new Set([pod.server.url('/pod/a%7Cb.ttl'), pod.server.url('/pod/c.ttl')]),
  );
  for (const mode of ['registry', 'mirror']) {
    const [reader] = (await startNodes({ mode, peers: [node.url] })) as [NetworkNode];
    await reader.sync();
    expect(await reader.uris()).toEqual([uri('plain'), uri('strange')]);
  }
});
