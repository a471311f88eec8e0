import {
  createDiscovery,
  type Discover,
  type Discovered,
  type DiscoveryRules,
  type Introductions,
} from '../../src/core/discovery.js';
import type { NetworkLists } from '../../src/core/network-lists.js';

/** Whom each node's operator configured: peers by their place in the network, pods by URL. */
export interface PaperNode {
  readonly peers: readonly number[];
  readonly pods: readonly string[];
}

export const DISCOVERY = {
  depth: 3,
  allow: [],
  deny: [],
  approve: false,
  maxPeers: 100,
  maxPods: 1000,
};

/** What follows from what peers say, at once. */
export function discovered(discover: Discover, said: Introductions): Discovered {
  const steps = discover(said);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

export const urlOf = (place: number) => `https://node${place}.example`;

/** Nodes of which only discovery runs, on paper: a poll copies the lists of one to another. */
export class PaperNetwork {
  readonly nodes: {
    discover: Discover;
    lists: NetworkLists;
    heard: Map<string, NetworkLists>;
  }[] = [];

  constructor(nodes: readonly PaperNode[], discovery: Partial<typeof DISCOVERY> = {}) {
    for (const [place, node] of nodes.entries()) this.configure(place, node, discovery);
  }

  /** Starts the node (again) with this configuration; what it heard, it has kept. */
  configure(place: number, { peers, pods }: PaperNode, discovery: Partial<typeof DISCOVERY> = {}): void {
    const rules: DiscoveryRules = {
      baseUrl: urlOf(place),
      peers: peers.filter((peer) => peer !== place).map((peer) => ({ url: urlOf(peer) })),
      pods: pods.map((url) => ({ url })),
      discovery: { ...DISCOVERY, ...discovery },
      network: { allowPrivate: false },
      mode: 'registry',
    };
    const heard = this.nodes[place]?.heard ?? new Map();
    this.nodes[place] = { discover: createDiscovery(rules), lists: { peers: [], storage: [] }, heard };
    this.#settle(place);
  }

  /** One node polls all it knows. */
  poll(place: number): void {
    const node = this.#node(place);
    for (const { url } of node.lists.peers) {
      const peer = this.nodes.find((_, other) => urlOf(other) === url);
      if (peer) node.heard.set(url, peer.lists);
      this.#settle(place);
    }
  }

  /** Every node polls all it knows, in this order. */
  round(order: readonly number[] = [...this.nodes.keys()]): void {
    for (const place of order) this.poll(place);
  }

  lists(place: number): NetworkLists {
    return this.#node(place).lists;
  }

  snapshot(): string {
    return JSON.stringify(this.nodes.map(({ lists }) => lists));
  }

  #settle(place: number): void {
    const node = this.#node(place);
    node.lists = discovered(node.discover, node.heard).lists;
    const known = new Set(node.lists.peers.map(({ url }) => url));
    for (const url of node.heard.keys()) if (!known.has(url)) node.heard.delete(url);
  }

  #node(place: number) {
    const node = this.nodes[place];
    if (!node) throw new Error(`there is no node ${place}`);
    return node;
  }
}
