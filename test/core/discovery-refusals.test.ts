import { describe, expect, it } from 'vitest';
import { createDiscovery, type DiscoveryRules } from '../../src/core/discovery.js';
import type { Introduced, NetworkLists } from '../../src/core/network-lists.js';
import { RefusalTally } from '../../src/core/refusal.js';
import { DISCOVERY, discovered } from '../support/discovered.js';

describe('what a node does not take from its peers', () => {
  const PEER = 'https://peer.example';
  const entry = (url: string, hops = 0) => ({ url, hops, via: [] });
  const rules: DiscoveryRules = {
    baseUrl: 'https://me.example',
    peers: [{ url: PEER }],
    pods: [],
    discovery: { ...DISCOVERY, depth: 1, maxPods: 1, deny: ['*.denied.example'] },
    network: { allowPrivate: false },
    mode: 'registry',
  };
  function found(said: Partial<Introduced>, more: Partial<DiscoveryRules> = {}) {
    const introductions = new Map([[PEER, { peers: [], storage: [], ...said }]]);
    return discovered(createDiscovery({ ...rules, ...more }), introductions).refused;
  }
  const refusalsOf = (...asked: Parameters<typeof found>) => found(...asked).refusals;

  it('is counted by its reason, and named with who told of it', () => {
    const refusals = refusalsOf(
      {
        peers: ['https://me.example/', 'http://127.0.0.1:3000', 'https://a.denied.example'].map((url) =>
          entry(url),
        ),
        storage: [
          entry('https://far.example/', 3),
          ...['a', 'b', 'c'].map((name) => entry(`https://${name}.example/`)),
        ],
      },
      { discovery: { ...rules.discovery, deny: ['*.denied.example', 'b.example'] } },
    );
    expect(refusals.counts).toEqual({
      own: 1,
      'private-address': 1,
      denied: 2,
      'beyond-depth': 1,
      'over-cap': 1,
    });
    expect(refusals.examples).toContainEqual({
      ...{ url: 'https://b.example/', kind: 'pod', via: PEER },
      reason: 'denied',
    });
    expect(refusals.examples).toContainEqual({
      ...{ url: 'https://c.example/', kind: 'pod', via: PEER, reason: 'over-cap' },
    });
  });

  it('is nothing that the operator has named, however a peer came to know of it', () => {
    const own = { ...entry('https://pod.example/'), via: [rules.baseUrl] };
    const { refusals, refusalsAbove } = found({ storage: [own] }, { pods: [{ url: own.url }] });
    expect([refusals.counts, refusalsAbove([`${own.url}d`])]).toEqual([{}, []]);
  });

  it('is what lies just behind the horizon, as far as a peer at the edge tells it', () => {
    const EDGE = 'https://edge.example';
    const said = new Map<string, NetworkLists>([
      [PEER, { peers: [entry(EDGE)], storage: [] }],
      [EDGE, { peers: [entry('https://behind.example')], storage: [] }],
    ]);
    const { refusals, unintendedBy } = discovered(createDiscovery(rules), said).refused;
    expect([refusals.counts, unintendedBy.size]).toEqual([{ 'beyond-depth': 1 }, 0]);
  });

  it('is named fifty times for each reason, however much there is, and found by what is below it', () => {
    const peers = Array.from({ length: 5000 }, (_, i) => entry(`http://10.0.0.1/${i}`));
    const storage = Array.from({ length: 5000 }, (_, i) => entry(`https://pod.example/${i}/`));
    const { refusals, refusalsAbove, unintendedBy } = found({ peers, storage });
    const { counts, examples } = refusals;
    const each = { 'private-address': 5000, 'over-cap': 4999 };
    expect([counts, examples.length]).toEqual([each, 100]);
    expect([...unintendedBy]).toEqual([[PEER, 9999]]);
    const last = { url: 'https://pod.example/4999/', kind: 'pod', via: PEER, reason: 'over-cap' };
    for (const below of ['', 'a/document.ttl#it']) expect(refusalsAbove([last.url + below])).toEqual([last]);
    const both = ['http://10.0.0.1/4999/d', `${last.url}d`];
    expect(refusalsAbove(both)).toMatchObject([{ reason: 'private-address' }, last]);
    for (const none of ['https://pod.example/0/d', 'https://pod.example/50000/', 'https://pod.example/', 'x'])
      expect(refusalsAbove([none])).toEqual([]);
  });

  it('is found on a mirror as well, however much there is', () => {
    const storage = Array.from({ length: 60 }, (_, i) => entry(`ftp://pod.example/${i}/`));
    const { refusalsAbove } = found({ storage }, { mode: 'mirror' });
    expect(refusalsAbove(['ftp://pod.example/59/d'])).toEqual([
      { url: 'ftp://pod.example/59/', kind: 'pod', via: PEER, reason: 'no-address' },
    ]);
  });

  it.each([0, 3])('is found below a host whose name is longer in ASCII: hops %d', (hops) => {
    const storage = [entry('https://bücher.example/a/', hops)];
    const { refusalsAbove } = found({ storage }, { discovery: { ...rules.discovery, maxPods: 0 } });
    const below = ['https://bücher.example/a/d', 'https://xn--bcher-kva.example/a/d'];
    for (const one of below) expect(refusalsAbove([one])).toMatchObject([{ via: PEER }]);
    const denying = { ...rules.discovery, deny: ['*.example'] };
    const denied = found({ storage }, { discovery: denying });
    for (const one of below) expect(denied.refusalsAbove([one])).toMatchObject([{ reason: 'denied' }]);
  });

  it('is found below either, where it is told of in one or two spellings of its host', () => {
    const spellings = ['https://xn--bcher-kva.example/a/', 'https://bücher.example/a/'];
    for (const told of [spellings, ...spellings.map((one) => [one])]) {
      const tally = new RefusalTally();
      for (const url of told) tally.add({ kind: 'pod', url, via: PEER, reason: 'denied' });
      expect(tally.refusals.counts).toEqual({ denied: told.length });
      for (const one of spellings) {
        const found = tally.refusalsAbove([`${one}d`]).map(({ url }) => url);
        expect(found.sort()).toEqual([...told].sort());
      }
    }
  });

  it('is found below a hundred deep addresses at once, of each what is nearest to its host', () => {
    const hosts = Array.from({ length: 101 }, (_, i) => `https://host${i}.example/`);
    const folders = Array.from({ length: 60 }, (_, depth) => 'folder/'.repeat(depth));
    const storage = hosts.flatMap((host) => folders.map((folder) => entry(host + folder, 3)));
    const { refusalsAbove } = found({ storage });
    const refused = refusalsAbove(hosts.map((host) => `${host}${folders.at(-1)}document`));
    expect(refused.map(({ url }) => url)).toEqual(expect.arrayContaining(hosts));
  });

  it.each(['registry', 'mirror'] as const)(
    'is what stands behind the end of a list that is cut: %s',
    (mode) => {
      const { counts, examples } = refusalsOf({ cut: ['storage'] }, { mode });
      expect(counts).toEqual({ 'list-cut': 1 });
      expect(examples).toMatchObject([{ url: `${PEER}/storage`, via: PEER }]);
    },
  );
});
