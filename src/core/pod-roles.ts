import { type Source, sourceKey, sourceOfKey } from '../component/source.js';
import { elapsed } from '../lib/clock.js';
import { compareText } from '../lib/compare-text.js';
import { type FindPod, findPodAmong } from './find-pod.js';
import { precedenceOf } from './precedence.js';
import type { SourceRecord, StoredSource } from './source-record.js';
import { type StatementRules, takeStatement } from './take.js';

/** A peer whose polls have failed so often in a row is not relied on to pass a pod on, and for so long afterwards, in ms. */
const UNRELIABLE = { failures: 3, ms: 60 * 60_000 } as const;

/** A peer that this node reads, and what is stored of it about pods, which are named by `sourceKey`. */
export interface KnownPeer {
  readonly url: string;
  /** The pods that it reads itself. */
  readonly reads: ReadonlySet<string>;
  /** `SourceRecord.refused` */
  readonly refused: NonNullable<SourceRecord['refused']>;
  /** One that keeps failing, or did lately, is not relied on to pass a pod on. */
  readonly isReliable: boolean;
}

/** What follows from the records of the sources that a node reads: who reads which pods. */
export interface KnownSources {
  /** The pods that this node has read with success. */
  readonly pods: readonly string[];
  /** In the order of precedence. */
  readonly peers: readonly KnownPeer[];
}

/** The sources that a node reads, in any order, and what is known of them. Times are ms since the epoch. */
export interface ReadSources {
  readonly read: readonly Source[];
  readonly stored: readonly StoredSource[];
  /** By key, when a source was found failing again and again the last time; brought up to date. */
  readonly failed: Map<string, number>;
  readonly now: number;
}

/** @param podsReadBy the pods that a peer reads itself, as `sourceKey`s, by what is stored of it */
export function knownSources(
  { read, stored, failed, now }: ReadSources,
  configuredPeers: readonly { readonly url: string }[],
  podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>,
): KnownSources {
  const records = new Map(stored.map(({ source, record }) => [sourceKey(source), record]));
  for (const key of failed.keys()) if (!records.has(key)) failed.delete(key);
  const { rank } = precedenceOf({ pods: [], peers: configuredPeers.map(({ url }) => url) });
  const known = read.map((source) => {
    const key = sourceKey(source);
    const record = records.get(key);
    if ((record?.failures ?? 0) >= UNRELIABLE.failures) failed.set(key, now);
    const failedAt = failed.get(key);
    return { source, record, isReliable: failedAt === undefined || elapsed(failedAt, now) >= UNRELIABLE.ms };
  });
  const of = (kind: Source['kind']) => known.filter(({ source }) => source.kind === kind);
  return {
    pods: of('pod').flatMap(({ source, record }) => (record?.lastSuccess === undefined ? [] : source.url)),
    peers: of('peer')
      .sort((a, b) => rank(a.source) - rank(b.source) || compareText(a.source.url, b.source.url))
      .map(({ source: { url }, record, isReliable }) => ({
        ...{ url, isReliable, reads: podsReadBy(record), refused: record?.refused ?? {} },
      })),
  };
}

/** Who speaks for pods at this node. */
export interface PodRoles {
  /** Among the pods that this node speaks for itself. */
  readonly read: FindPod;
  /** Is a pod (`sourceKey`) taken from another peer than this one? */
  isFromOthers(peer: string, pod: string): boolean;
}

/**
 * Which pods this node speaks for itself, and from which peer each of the others is taken: from the first reliable one that
 * reads it (design, section 6), so that a pod is not kept once for each of a hundred peers. What another one has given
 * stays until that one has given it, so that nothing is missing meanwhile.
 */
export function podRoles({ pods, peers }: KnownSources): PodRoles {
  const firsts = new Map<string, number>();
  for (const [place, { reads, isReliable }] of peers.entries()) {
    for (const pod of isReliable ? reads : []) if (!firsts.has(pod)) firsts.set(pod, place);
  }
  const places = new Map(peers.map(({ url }, place) => [url, place]));
  return {
    read: findPodAmong(pods),
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
  return peer?.reads.has(pod) === true && !(pod in peer.refused);
}

/** The addresses because of which something of a peer is not stored. */
export function skippedIn({ refused = {} }: Pick<SourceRecord, 'refused'>): string[] {
  return [...new Set(Object.values(refused).flat())].sort();
}

/** The pods of which something else is stored of a peer than the rules take. */
export interface Disagreement {
  /** What was refused, and is taken now. */
  readonly more: ReadonlySet<string>;
  /** What was taken, and is not taken any more. */
  readonly less: ReadonlySet<string>;
}

export function disagreement(peer: KnownPeer, rules: StatementRules): Disagreement {
  const isTaken = (url: string) =>
    takeStatement({ graph: url, of: sourceKey({ kind: 'pod', url }) }, rules) === 'taken';
  const given = [...peer.reads].filter((pod) => gives(peer, pod)).map((pod) => sourceOfKey(pod).url);
  return {
    more: new Set(skippedIn(peer).filter(isTaken)),
    less: new Set(given.filter((url) => !isTaken(url))),
  };
}
