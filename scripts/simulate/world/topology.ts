import { between, sample, substream } from '../time/substream.js';

/** How large the network is. */
export interface NetworkSize {
  readonly nodes: number;
  readonly pods: number;
  /** In each pod; each has a document of its own. */
  readonly components: number;
  /** Peers that each operator has configured. */
  readonly degree: number;
}

export interface TopologyNode {
  readonly name: string;
  readonly address: string;
  /** URLs of nodes and of pods, as configured, in order of precedence. */
  readonly peers: readonly string[];
  readonly pods: readonly string[];
}

export interface TopologyPod {
  readonly name: string;
  readonly address: string;
  /** Of its container. */
  readonly url: string;
}

/** Who there is, and whom each operator trusts. */
export interface Topology {
  readonly nodes: readonly TopologyNode[];
  readonly pods: readonly TopologyPod[];
}

const nodeName = (place: number) => `node${place}.example`;
export const nodeUrl = (place: number) => `https://${nodeName(place)}`;

/** One pod in so many has a name that leads to a private address. */
const PRIVATE_EVERY = 7;
/** One pod in so many is configured by a second operator. */
const SHARED_EVERY = 3;

/** A network: a ring, so that everybody can hear of everybody, with more links at random. Each pod has an operator who trusts it. */
export function createTopology({ nodes, pods, degree }: NetworkSize, seed: number): Topology {
  const random = substream(seed, 'topology');
  const places = Array.from({ length: nodes }, (_, place) => place);
  const described = Array.from({ length: pods }, (_, place) => podAt(place));
  const trusted = places.map((): string[] => []);
  for (const [place, { url }] of described.entries()) {
    trusted[place % nodes]?.push(url);
    if (place % SHARED_EVERY === 0) trusted[between(random, 0, nodes - 1)]?.push(url);
  }
  return {
    pods: described,
    nodes: places.map((place) => {
      const others = places.filter((other) => other !== place);
      const next = others.length === 0 ? [] : [(place + 1) % nodes];
      const more = sample(random, others, degree);
      const peers = [...new Set([...next, ...more])].slice(0, degree).map(nodeUrl);
      const own = [...new Set(trusted[place])];
      return { name: nodeName(place), address: addressAt(45, place), peers, pods: own };
    }),
  };
}

function podAt(place: number): TopologyPod {
  const name = `pod${place}.example`;
  const address = place % PRIVATE_EVERY === PRIVATE_EVERY - 1 ? addressAt(10, place) : addressAt(46, place);
  return { name, address, url: `https://${name}/components/` };
}

function addressAt(network: number, place: number): string {
  return `${network}.1.${place >> 8}.${place & 255}`;
}
