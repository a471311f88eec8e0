import { type Source, sourceKey, sourceOfKey } from '../component/source.js';
import { elapsed } from '../lib/clock.js';
import { compareText } from '../lib/compare-text.js';
import { type FindPod, findPodAmong } from './find-pod.js';
import { precedenceOf } from './precedence.js';
import type { SourceRecord, StoredSource } from './source-record.js';
import { type StatementRules, takeStatement } from './take.js';

/** A peer whose polls have failed so often in a row is not relied on to pass a pod on, and for so long afterwards, in ms. */
const UNRELIABLE = { failures: 3, ms: 60 * 60_000 } as const;

/** Has a source failed so often that it is not relied on? */
export function keepsFailing({ failures }: Pick<SourceRecord, 'failures'>): boolean {
  return failures >= UNRELIABLE.failures;
}

function isReliable(record: SourceRecord, now: number): boolean {
  const { unreliableAt } = record;
  if (keepsFailing(record)) return false;
  return unreliableAt === undefined || elapsed(unreliableAt, now) >= UNRELIABLE.ms;
}

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

interface Known {
  readonly peers: readonly { readonly url: string }[];
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it. */
  readonly podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>;
  /** ms since the epoch */
  readonly now: number;
}

/** @param read the sources that a node reads, in any order. @param peers that are configured */
export function knownSources(
  read: readonly Source[],
  stored: readonly StoredSource[],
  { peers, podsReadBy, now }: Known,
): KnownSources {
  const records = new Map(stored.map(({ source, record }) => [sourceKey(source), record]));
  const { rank } = precedenceOf({ pods: [], peers: peers.map(({ url }) => url) });
  const known = read.map((source) => ({ source, record: records.get(sourceKey(source)) }));
  const of = (kind: Source['kind']) => known.filter(({ source }) => source.kind === kind);
  return {
    pods: of('pod').flatMap(({ source, record }) => (record?.lastSuccess === undefined ? [] : source.url)),
    peers: of('peer')
      .sort((a, b) => rank(a.source) - rank(b.source) || compareText(a.source.url, b.source.url))
      .map(({ source: { url }, record }) => ({
        ...{ url, reads: podsReadBy(record), refused: record?.refused ?? {} },
        isReliable: !record || isReliable(record, now),
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

/** Is a pod taken by these rules, given that the peer reads it? */
function takes(rules: StatementRules, url: string): boolean {
  return takeStatement({ graph: url, of: sourceKey({ kind: 'pod', url }) }, rules) === 'taken';
}

/** Is something taken of a peer now that was refused? Only when the peer tells everything again does it come. */
export function wantsMore(record: Pick<SourceRecord, 'refused'>, rules: StatementRules): boolean {
  return skippedIn(record).some((url) => takes(rules, url));
}

/** The pods of which more or less is stored of a peer than the rules take. */
export function disagreement(peer: KnownPeer, rules: StatementRules): ReadonlySet<string> {
  const given = [...peer.reads].filter((pod) => gives(peer, pod)).map((pod) => sourceOfKey(pod).url);
  return new Set([
    ...skippedIn(peer).filter((url) => takes(rules, url)),
    ...given.filter((url) => !takes(rules, url)),
  ]);
}
