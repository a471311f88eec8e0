import { expect, it } from 'vitest';
import type { NetworkLists } from '../../../src/registry/network-lists.js';
import { createDiscovery, type DiscoveryRules } from '../../../src/sync/discovery/discovery.js';

const PEER = 'https://peer.example';
const rules: DiscoveryRules = {
  baseUrl: 'https://me.example',
  peers: [{ url: PEER }],
  pods: [],
  discovery: { depth: 2, allow: [], deny: ['*.bad.example'], maxPeers: 10, maxPods: 10 },
  network: { allowPrivate: false },
};
const entry = (url: string, hops = 0) => ({ url, hops, via: [] });

/** What is refused of what the peer says, and why. */
function refused(said: Partial<NetworkLists>, discovery: Partial<DiscoveryRules['discovery']> = {}) {
  const known = createDiscovery({ ...rules, discovery: { ...rules.discovery, ...discovery } });
  const introductions = new Map([[PEER, { peers: [], storage: [], ...said }]]);
  return known.refused(introductions, known.lists(introductions));
}

it('says which addresses of a peer are not taken up, how many and why', () => {
  const storage = [
    ...['https://one.bad.example/', 'https://two.bad.example/', 'http://10.0.0.7/'].map((url) => entry(url)),
    entry('https://far.example/', 2),
    entry('https://good.example/'),
  ];
  expect(refused({ storage })).toEqual([
    {
      ...{ peer: PEER, kind: 'pod', reason: 'discovery.deny names them', count: 2 },
      examples: ['https://one.bad.example/', 'https://two.bad.example/'],
    },
    {
      ...{ peer: PEER, kind: 'pod', count: 1, examples: ['http://10.0.0.7/'] },
      reason: 'their addresses are not public, and network.allowPrivate is off',
    },
    {
      ...{ peer: PEER, kind: 'pod', count: 1, examples: ['https://far.example/'] },
      reason: 'they are more than 2 hops away (discovery.depth)',
    },
  ]);
});

it('names those that are not allowed, and a few of many; the node itself is no refusal', () => {
  const peers = Array.from({ length: 5000 }, (_, i) => entry(`https://n${i}.example`));
  peers.push(entry('https://me.example'));
  expect(refused({ peers }, { allow: ['*.other.example'] })).toEqual([
    {
      ...{ peer: PEER, kind: 'peer', reason: 'discovery.allow does not name them', count: 5000 },
      examples: ['https://n0.example', 'https://n1.example', 'https://n2.example'],
    },
  ]);
  expect(refused({ peers: [entry('https://me.example')] })).toEqual([]);
});
