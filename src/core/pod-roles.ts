import { sourceKey, sourceOfKey } from '../component/source.js';
import { type FindPod, findPodAmong } from './find-pod.js';
import { type StatementRules, takeStatement } from './take.js';

/** A pod that this node reads. */
export interface KnownPod {
  readonly url: string;
  /** Was it read with success, is it about to be read for the first time, or was that in vain until now? */
  readonly state: 'read' | 'awaited' | 'unread';
}

/** A peer that this node reads, and what is stored of it about pods, which are named by `sourceKey`. */
export interface KnownPeer {
  readonly url: string;
  /** The pods that it reads itself. */
  readonly reads: ReadonlySet<string>;
  /** Those of which not all that it says was taken. */
  readonly refused: ReadonlySet<string>;
  /** Addresses because of which something of it was not taken. */
  readonly skipped: readonly string[];
  /** One that keeps failing, or did lately, is not relied on to pass a pod on. */
  readonly isReliable: boolean;
}

/** Who speaks for pods at this node. */
export interface PodRoles extends Required<Pick<StatementRules, 'read' | 'awaited'>> {
  /** Is a pod (`sourceKey`) taken from another peer than this one? */
  isFromOthers(peer: string, pod: string): boolean;
}

/**
 * Which pods this node speaks for itself, and from which peer each of the others is taken: from the first reliable one that
 * reads it (design, section 6), so that a pod is not kept once for each of a hundred peers. What another one has given
 * stays until that one has given it, so that nothing is missing meanwhile.
 * @param peers in the order of precedence
 */
export function podRoles(pods: readonly KnownPod[], peers: readonly KnownPeer[]): PodRoles {
  const firsts = new Map<string, number>();
  for (const [place, { reads, isReliable }] of peers.entries()) {
    for (const pod of isReliable ? reads : []) if (!firsts.has(pod)) firsts.set(pod, place);
  }
  const places = new Map(peers.map(({ url }, place) => [url, place]));
  const known = (state: KnownPod['state']): FindPod =>
    findPodAmong(pods.filter((pod) => pod.state === state).map(({ url }) => url));
  return {
    read: known('read'),
    awaited: known('awaited'),
    isFromOthers(url, pod) {
      const place = places.get(url) ?? peers.length;
      const first = firsts.get(pod) ?? place;
      if (first === place) return false;
      // Who comes before all that are known to read the pod reads it, too, since now.
      if (place < first && peers[place]?.isReliable) return false;
      return gives(peers[first], pod) || !gives(peers[place], pod);
    },
  };
}

function gives(peer: KnownPeer | undefined, pod: string): boolean {
  return peer?.reads.has(pod) === true && !peer.refused.has(pod);
}

/** The pods of which something else is stored of a peer than the rules take. */
export interface Disagreement {
  /** What was refused, and is taken now. */
  readonly more: ReadonlySet<string>;
  /** What was taken, and is not taken any more. */
  readonly less: ReadonlySet<string>;
}

export function disagreement(peer: KnownPeer, rules: StatementRules): Disagreement {
  const isTaken = (url: string, isStored: boolean) =>
    takeStatement({ graph: url, of: sourceKey({ kind: 'pod', url }), isStored }, rules) === 'taken';
  const given = [...peer.reads].filter((pod) => gives(peer, pod)).map((pod) => sourceOfKey(pod).url);
  return {
    more: new Set(peer.skipped.filter((url) => isTaken(url, false))),
    less: new Set(given.filter((url) => !isTaken(url, true))),
  };
}
