import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { listedUris, sync, textOf } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { NETWORKED, startInProcess } from './adapters/in-process-node.js';

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

test('addresses and names of documents that are no IRIs leave what this node says readable', async () => {
  const peer = await fakePeer();
  peer.storage = [...ADDRESSES.map(([address]) => address), HOPELESS, 'http://good.example/'];
  peer.peers = [HOPELESS, 'http://bad.example/nodes?{y}'];
  const pod = new FakePod(await fakeServer());
  pod.put('/pod/a%7Cb.ttl', turtle('strange'));
  pod.put('/pod/c.ttl', turtle('plain'));
  const members = ['a|b.ttl', 'c.ttl'].map((name) => ({ '@id': name }));
  const listing = { '@id': '', '@type': [`${LDP}Container`], [`${LDP}contains`]: members };
  const headers = { 'content-type': 'application/ld+json' };
  pod.faults.set('/pod/', { headers, body: JSON.stringify(listing) });
  const container = pod.server.url('/pod/');
  const node = await startInProcess({ config: { ...NETWORKED, peers: [peer.url], pods: [container] } });
  await sync(node);

  const storage = await node.getJson<string[]>('/storage');
  const encoded = ADDRESSES.map(([, address]) => address);
  expect(storage).toEqual(expect.arrayContaining([...encoded, 'http://good.example/']));
  expect([...storage, ...(await node.getJson<string[]>('/peers'))]).not.toContain(HOPELESS);
  const why = `/why?uri=${encodeURIComponent(HOPELESS)}`;
  expect(await textOf(node, why, 'application/json')).toContain('"reason":"no-iri"');
  expect(await textOf(node, why, 'text/html')).toContain('RFC 3987');
  expect(await listedUris(node)).toEqual([uri('plain'), uri('strange')]);

  /** As any RDF tool reads it. */
  const parsed = async (path: string, format: string) =>
    new Parser({ format }).parse(await textOf(node, path, format));
  for (const path of ['/peers', '/storage', '/component'])
    expect((await parsed(path, 'text/turtle')).length).toBeGreaterThan(0);
  const dataset = await parsed('/component?graphs=all', 'application/n-quads');
  expect(new Set(dataset.map(({ graph }) => graph.value))).toEqual(
    new Set([`${container}a%7Cb.ttl`, `${container}c.ttl`]),
  );
});
