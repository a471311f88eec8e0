import { between, sample, substream } from '../time/substream.js';
import type { NetworkSize } from '../world/topology.js';

/** Whom nodes have configured, and how far they look. */
export interface Layout {
  readonly name: string;
  readonly depth: number;
  /** So many of three hubs, which read every pod, are all that a node has configured; absent where nodes have others. */
  readonly hubs?: number;
}

export const LAYOUTS: readonly [Layout, ...Layout[]] = [
  { name: 'mesh, depth 3', depth: 3 },
  { name: 'mesh, depth 2', depth: 2 },
  { name: 'mesh, depth 1', depth: 1 },
  { name: 'two hubs, depth 1', depth: 1, hubs: 2 },
  { name: 'two hubs, depth 0', depth: 0, hubs: 2 },
  { name: 'three hubs, depth 0', depth: 0, hubs: 3 },
];

/** Of one node, and of one pod, on average; requests in an idle hour. */
export interface LargeFigures {
  readonly peers: number;
  readonly podsRead: number;
  readonly readers: number;
  readonly podRequests: number;
  readonly requests: number;
  readonly statements: number;
  /** From 0 to 1. */
  readonly shown: number;
}

/** What full runs have shown of an idle hour: requests to one peer, or one pod, that is heard on streams, or is polled. */
const HOURLY = { heard: { peer: 2, pod: 2.7 }, polled: { peer: 12, pod: 17 } };
/** `discovery.maxPeers` and `discovery.maxPods`, as shipped. */
const MOST = { peers: 100, pods: 1000 };
const HUBS = 3;
/** A pod is taken from so many of the peers that read it. */
const TAKEN_FROM = 2;
/** One pod in so many is at a private address, and one in so many is configured by two operators. */
const PRIVATE_EVERY = 7;
const SHARED_EVERY = 3;
/** Nodes that are looked at. */
const SAMPLE = 20;

/** The pods and peers that each node has configured, by number. */
interface Network {
  readonly peers: readonly (readonly number[])[];
  readonly pods: readonly (readonly number[])[];
}

export function figuresOf(
  size: NetworkSize,
  layout: Layout,
  { streams, hasPrivatePods }: { readonly streams: number; readonly hasPrivatePods: boolean },
): LargeFigures {
  const network = networkOf(size, layout);
  const random = substream(1, 'sample', size.nodes);
  const first = layout.hubs === undefined ? 0 : HUBS;
  const looked = Array.from({ length: Math.min(SAMPLE, size.nodes) }, () =>
    between(random, first, size.nodes - 1),
  );
  const isPrivate = (pod: number) => hasPrivatePods && pod % PRIVATE_EVERY === PRIVATE_EVERY - 1;
  const read = (node: number) => known(network, node, layout.depth, isPrivate);
  const sums = { peers: 0, podsRead: 0, requests: 0, statements: 0, shown: 0, heard: 0 };
  for (const node of looked) {
    const { peers, pods } = read(node);
    const taken = new Map<number, number>();
    for (const peer of peers) {
      for (const pod of read(peer).pods) {
        if (!pods.has(pod)) taken.set(pod, Math.min(TAKEN_FROM, (taken.get(pod) ?? 0) + 1));
      }
    }
    // A pod that is heard takes a stream for itself, and one for each document.
    const heard = Math.min(pods.size, Math.max(0, streams - peers.size) / (1 + size.components));
    const heardPeers = Math.min(peers.size, streams);
    const copies = [...taken.values()].reduce((all, count) => all + count, pods.size);
    sums.peers += peers.size;
    sums.podsRead += pods.size;
    sums.heard += heard;
    sums.requests += requests('pod', heard, pods.size) + requests('peer', heardPeers, peers.size);
    sums.statements += copies * size.components;
    sums.shown += (pods.size + taken.size) / size.pods;
  }
  const average = (sum: number) => sum / looked.length;
  const hubs = layout.hubs === undefined ? 0 : HUBS;
  const readers = (average(sums.podsRead) * (size.nodes - hubs)) / size.pods + hubs;
  const part = sums.podsRead === 0 ? 1 : sums.heard / sums.podsRead;
  return {
    ...{ peers: average(sums.peers), podsRead: average(sums.podsRead), readers },
    podRequests: requests('pod', readers * part, readers),
    ...{ requests: average(sums.requests), statements: average(sums.statements), shown: average(sums.shown) },
  };
}

function requests(kind: 'peer' | 'pod', heard: number, all: number): number {
  return heard * HOURLY.heard[kind] + (all - heard) * HOURLY.polled[kind];
}

/** The same as `createTopology`, in time that grows with the nodes only. */
function networkOf({ nodes, pods, degree }: NetworkSize, { hubs }: Layout): Network {
  const random = substream(1, 'large', nodes);
  const trusted = Array.from({ length: nodes }, (): number[] => []);
  for (let pod = 0; pod < pods; pod++) {
    trusted[pod % nodes]?.push(pod);
    if (pod % SHARED_EVERY === 0) trusted[between(random, 0, nodes - 1)]?.push(pod);
  }
  const all = Array.from({ length: pods }, (_, pod) => pod);
  const places = Array.from({ length: HUBS }, (_, hub) => hub);
  const peers = trusted.map((_, node) => {
    if (hubs !== undefined) return sample(random, places, hubs).filter((hub) => hub !== node);
    const others = new Set([(node + 1) % nodes]);
    while (others.size < Math.min(degree, nodes - 1)) others.add(between(random, 0, nodes - 1));
    others.delete(node);
    return [...others];
  });
  return { peers, pods: trusted.map((own, node) => (hubs !== undefined && node < HUBS ? all : own)) };
}

/** Whom a node knows, the nearest first, within the bounds of the configuration that the software ships with. */
function known({ peers, pods }: Network, node: number, depth: number, isPrivate: (pod: number) => boolean) {
  const reached = new Set([node]);
  const found = new Set(pods[node]);
  const [ownPeers, ownPods] = [peers[node]?.length ?? 0, found.size];
  let level = [node];
  for (let distance = 1; distance <= depth + 1 && level.length > 0; distance++) {
    const next: number[] = [];
    for (const peer of level.flatMap((here) => peers[here] ?? [])) {
      if (reached.has(peer)) continue;
      reached.add(peer);
      next.push(peer);
    }
    level = next;
    if (distance > depth) break;
    for (const pod of level.flatMap((here) => pods[here] ?? [])) {
      if (!isPrivate(pod) && found.size < ownPods + MOST.pods) found.add(pod);
    }
  }
  reached.delete(node);
  return { peers: new Set([...reached].slice(0, ownPeers + MOST.peers)), pods: found };
}
