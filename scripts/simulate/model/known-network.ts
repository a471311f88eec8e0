import type { Truth } from './truth.js';

export interface KnownNetwork {
  /** URLs, with the distance at which each is known: 0 when configured. */
  readonly peers: ReadonlyMap<string, number>;
  readonly pods: ReadonlyMap<string, number>;
}

/**
 * Whom a node knows once nothing changes any more: all that lead to it over at most `depth` introductions. A plain search by
 * breadth over what the operators have configured.
 */
export function knownNetwork(node: string, truth: Truth, depth: number): KnownNetwork {
  const peers = new Map<string, number>();
  const pods = new Map<string, number>();
  let level = [node];
  for (let distance = 0; level.length > 0 && distance <= depth; distance++) {
    const next: string[] = [];
    for (const here of level) {
      const trusted = truth.operators.get(here);
      for (const pod of trusted?.pods ?? []) if (!pods.has(pod)) pods.set(pod, distance);
      for (const peer of trusted?.peers ?? []) {
        if (peer === node || peers.has(peer)) continue;
        peers.set(peer, distance);
        next.push(peer);
      }
    }
    level = next;
  }
  return { peers, pods };
}
