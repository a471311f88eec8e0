import type { ListedAddress } from '../../component/network-list.js';

/**
 * The most hops that an entry can have at a peer and still be learned from it, if the peer itself has so many here: see
 * `createDiscovery`. Of peers at the edge, the nearest entries are wanted all the same: they tell what lies just behind
 * (`beyond-depth`).
 */
export function usefulHops(depth: number, hops: number): number {
  return Math.max(0, depth - hops - 1);
}

/** How much of the lists of each peer is of use. */
export class PeerDistances {
  readonly #depth: number;
  #useful: ReadonlyMap<string, number> = new Map();
  readonly #nearer = new Set<string>();

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** See `usefulHops`; nothing for a peer that is not known. */
  usefulHops(peer: string): number | undefined {
    return this.#useful.get(peer);
  }

  /** Notes which peers there are, and how far away. */
  follow(peers: readonly ListedAddress[]): void {
    const before = this.#useful;
    this.#useful = new Map(peers.map(({ url, hops }) => [url, usefulHops(this.#depth, hops)]));
    for (const [url, hops] of this.#useful) {
      if (hops > (before.get(url) ?? hops)) this.#nearer.add(url);
    }
  }

  /** The peers that have come so much nearer that more of their lists is of use; each is told once. */
  takeNearer(): string[] {
    const nearer = [...this.#nearer].filter((url) => this.#useful.has(url));
    this.#nearer.clear();
    return nearer;
  }
}
