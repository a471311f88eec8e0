import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDiscovery, type DiscoveryRules, type Introductions } from '../../src/core/discovery.js';
import type { NetworkLists } from '../../src/core/network-lists.js';
import { DISCOVERY, discovered, PaperNetwork, type PaperNode, urlOf } from '../support/paper-network.js';

const podOf = (place: number) => `https://pod${place}.example/`;
const SIZE = 6;

const place = fc.nat(SIZE - 1);
const anyNetwork: fc.Arbitrary<PaperNode[]> = fc.array(
  fc.record({
    peers: fc.uniqueArray(place, { maxLength: 3 }),
    pods: fc.uniqueArray(place.map(podOf), { maxLength: 2 }),
  }),
  { minLength: SIZE, maxLength: SIZE },
);
const anyOrder = fc.shuffledSubarray([...Array(SIZE).keys()], { minLength: SIZE, maxLength: SIZE });
const anySchedule = fc.infiniteStream(anyOrder);

/** Each network runs to its end many times, so that a hundred of them would take seconds. */
const ENOUGH_NETWORKS = { numRuns: 40 };

/** Rounds after which a network of this size has come to rest, whatever it looks like. */
const ENOUGH = SIZE + DISCOVERY.depth;

function settled(nodes: readonly PaperNode[], schedule: Iterator<number[]>, more = {}): PaperNetwork {
  const network = new PaperNetwork(nodes, more);
  for (let i = 0; i < ENOUGH; i++) network.round(schedule.next().value);
  return network;
}

/** The distance of every node from this one, counted along configured peers. */
function distances(nodes: readonly PaperNode[], from: number): Map<number, number> {
  const found = new Map([[from, 0]]);
  for (const [at, distance] of found) {
    for (const peer of nodes[at]?.peers ?? []) if (!found.has(peer)) found.set(peer, distance + 1);
  }
  return found;
}

/** URL and hops of everything within reach, as somebody sees it who sees the whole network. */
function truth(nodes: readonly PaperNode[], from: number, depth: number) {
  const near = [...distances(nodes, from)].sort(([, one], [, other]) => one - other);
  const peers = near.filter(([at, distance]) => at !== from && distance - 1 <= depth);
  const storage = new Map<string, number>();
  for (const [at, distance] of near) {
    for (const pod of nodes[at]?.pods ?? [])
      if (!storage.has(pod) && distance <= depth) storage.set(pod, distance);
  }
  return { peers: new Map(peers.map(([at, distance]) => [urlOf(at), distance - 1])), storage };
}

const hopsOf = (lists: NetworkLists) => ({
  peers: new Map(lists.peers.map(({ url, hops }) => [url, hops])),
  storage: new Map(lists.storage.map(({ url, hops }) => [url, hops])),
});

describe('a network of nodes that discover one another', () => {
  it('comes to know exactly what is within reach, at its true distance, on every schedule', () => {
    fc.assert(
      fc.property(anyNetwork, anySchedule, fc.nat(4), (nodes, schedule, depth) => {
        const network = settled(nodes, schedule, { depth });
        for (const at of nodes.keys()) {
          const { peers, storage } = network.lists(at);
          expect(hopsOf({ peers, storage })).toEqual(truth(nodes, at, depth));
          for (const { via, hops } of [...peers, ...storage]) expect(via).toHaveLength(hops);
        }
      }),
      ENOUGH_NETWORKS,
    );
  });

  it('forgets what its last sponsor drops after at most `depth` rounds, rings and meshes included', () => {
    fc.assert(
      fc.property(anyNetwork, anySchedule, fc.nat(4), place, (nodes, schedule, depth, dropped) => {
        const network = settled(nodes, schedule, { depth });
        const without = nodes.map(({ peers, pods }) => ({
          peers: peers.filter((peer) => peer !== dropped),
          pods: pods.filter((pod) => pod !== podOf(dropped)),
        }));
        for (const [at, node] of without.entries()) network.configure(at, node, { depth });
        for (let i = 0; i < depth; i++) network.round(schedule.next().value);
        for (const at of without.keys()) {
          expect(network.lists(at).storage.map(({ url }) => url)).not.toContain(podOf(dropped));
          expect(network.lists(at).peers.map(({ url }) => url)).not.toContain(urlOf(dropped));
        }
      }),
      ENOUGH_NETWORKS,
    );
  });
});

describe('what a node learns from its peers', () => {
  const HONEST = 'https://honest.example';
  const LIAR = 'https://liar.example';
  const rules: DiscoveryRules = {
    baseUrl: 'https://me.example',
    peers: [{ url: HONEST }, { url: LIAR }],
    pods: [{ url: 'https://mine.example/pod/' }],
    discovery: DISCOVERY,
    network: { allowPrivate: false },
    mode: 'registry',
  };
  const listsOf = (rules: DiscoveryRules, said: Introductions) =>
    discovered(createDiscovery(rules), said).lists;
  const entry = (url: string, hops = 0) => ({ url, hops, via: [] });
  const learn = (said: Partial<NetworkLists>) => {
    const lists = listsOf(rules, new Map([[LIAR, { peers: [], storage: [], ...said }]]));
    const learned = (entries: NetworkLists['peers']) => entries.filter(({ hops }) => hops > 0);
    return { peers: learned(lists.peers), storage: learned(lists.storage) };
  };
  const peersFrom = (...urls: string[]) => learn({ peers: urls.map((url) => entry(url)) }).peers;

  it.each(['HTTPS://ME.example:443/', 'http://127.1', 'http://[::ffff:127.0.0.1]/', 'http://node.localhost'])(
    'is neither itself nor private by its looks: %s',
    (url) => expect(peersFrom(url)).toEqual([]),
  );

  it('has each address once: a slash at the end names the same node, but another document', () => {
    expect(peersFrom('https://a.example/', 'https://a.example', 'HTTPS://A.example:443')).toEqual([
      { url: 'https://a.example', hops: 1, via: [LIAR] },
    ]);
    const pods = ['https://a.example/x', 'https://a.example/x/', 'https://A.example/x/'];
    expect(learn({ storage: pods.map((url) => entry(url)) }).storage.map(({ url }) => url)).toEqual([
      'https://a.example/x',
      'https://a.example/x/',
    ]);
  });

  it('counts as introduced by the closest, and among those by the first', () => {
    const lists = listsOf(
      rules,
      new Map([
        [LIAR, { peers: [entry('https://x.example'), entry('https://y.example', 1)], storage: [] }],
        [HONEST, { peers: [entry('https://y.example'), entry('https://x.example')], storage: [] }],
      ]),
    );
    expect(lists.peers.slice(2).map(({ url, hops, via }) => [url, hops, ...via])).toEqual([
      ['https://x.example', 1, HONEST],
      ['https://y.example', 1, HONEST],
    ]);
  });

  it('cannot be crowded out by a peer that lists thousands', () => {
    const many = Array.from({ length: 5000 }, (_, i) => entry(`https://0.example/${i}/`));
    const lists = listsOf(
      { ...rules, discovery: { ...DISCOVERY, maxPods: 10 } },
      new Map([
        [LIAR, { peers: [], storage: many }],
        [HONEST, { peers: [], storage: [entry('https://z.example/'), entry('https://zz.example/')] }],
      ]),
    );
    expect(lists.storage).toHaveLength(11);
    expect(lists.storage.filter(({ via }) => via[0] === HONEST)).toHaveLength(2);
  });

  it('is on a mirror what its upstreams list, in their words, each address once', () => {
    const one = {
      peers: [entry('http://b/'), entry('http://a', 1)],
      storage: [entry('http://p/'), entry('http://q/', 2)],
    };
    const other = {
      peers: [entry('http://c'), entry('http://b')],
      storage: [entry('http://p'), entry('http://p/x'), entry('http://q/')],
    };
    const said = new Map([
      [HONEST, one],
      [LIAR, other],
    ]);
    expect(listsOf({ ...rules, mode: 'mirror' }, said)).toEqual({
      peers: [...one.peers, entry('http://c')],
      storage: [entry('http://p/'), entry('http://q/'), entry('http://p/x')],
    });
  });
});
