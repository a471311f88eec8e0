import { Model } from '../model/expectation.js';
import { type KnownNetwork, knownNetwork } from '../model/known-network.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { World } from '../world/world.js';
import { type Deviation, deviationOf } from './deviations.js';

export interface Bounds {
  /** `discovery.depth`, `discovery.maxPeers` and `discovery.maxPods` of every node. */
  readonly depth: number;
  readonly maxPeers: number;
  readonly maxPods: number;
}

/** Compares all nodes with what the model expects of them. */
export class Judge {
  readonly #world: World;
  readonly #bounds: Bounds;

  constructor(world: World, bounds: Bounds) {
    this.#world = world;
    this.#bounds = bounds;
  }

  /** The first deviation, in the order of the nodes; nothing when all is as it should be. */
  async firstDeviation(): Promise<Deviation | undefined> {
    const known = this.#knownTo();
    const model = new Model(this.#world.truth, (url) => known(url).network);
    for (const node of this.#world.nodes) {
      const { isBounded } = known(node.url);
      const deviation = await deviationOf(node, model.of(node.url), { isBounded });
      if (deviation) return deviation;
    }
    return undefined;
  }

  /** Where more is known than a node keeps, the node chooses, and is held to its choice. */
  #knownTo(): (url: string) => { readonly network: KnownNetwork; readonly isBounded: boolean } {
    const { maxPeers, maxPods, depth } = this.#bounds;
    const found = new Map<string, { network: KnownNetwork; isBounded: boolean }>();
    const nodes = new Map(this.#world.nodes.map((node) => [node.url, node]));
    return (url) => {
      const before = found.get(url);
      if (before) return before;
      const all = knownNetwork(url, this.#world.truth, depth);
      const isBounded = learned(all.peers) >= maxPeers || learned(all.pods) >= maxPods;
      const node = nodes.get(url);
      const network = isBounded && node ? chosenBy(node, all) : all;
      const known = { network, isBounded };
      found.set(url, known);
      return known;
    };
  }
}

function learned(distances: ReadonlyMap<string, number>): number {
  return [...distances.values()].filter((distance) => distance > 0).length;
}

/** What a node lists, as far as it may: the rest of its list shows as a deviation. */
function chosenBy(node: SimulatedNode, all: KnownNetwork): KnownNetwork {
  const { peers, storage } = node.stored.network;
  return { peers: chosen(peers, all.peers), pods: chosen(storage, all.pods) };
}

function chosen(
  listed: readonly { readonly url: string }[],
  all: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const both = listed.flatMap(({ url }) => {
    const distance = all.get(url);
    return distance === undefined ? [] : [[url, distance] as const];
  });
  return new Map(both);
}
