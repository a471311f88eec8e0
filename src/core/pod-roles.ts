import { type Source, sourceKey, sourceOfKey } from '../component/source.js';
import { elapsed } from '../lib/clock.js';
import { compareText } from '../lib/compare-text.js';
import { type FindPod, findPodAmong } from './find-pod.js';
import { precedenceOf } from './precedence.js';
import type { SourceRecord, StoredSource } from './source-record.js';
import { type StatementRules, takeStatement } from './take.js';

/**
 * A peer whose polls have failed so often in a row is not relied on to pass a pod on, and for so long
 * afterwards, in ms.
 */
const UNRELIABLE = { failures: 3, ms: 60 * 60_000 } as const;

/** When a source was last found failing again and again, as long as that matters. @param now ms since the epoch */
export function unreliableAfter({ unreliableAt, failures }: SourceRecord, now: number): number | undefined {
  if (failures >= UNRELIABLE.failures) return now;
  const isLate = unreliableAt === undefined || elapsed(unreliableAt, now) >= UNRELIABLE.ms;
  return isLate ? undefined : unreliableAt;
}

/** A peer that this node reads, and what is stored of it about pods, which are named by `sourceKey`. */
export interface KnownPeer {
  readonly url: string;
  /** The pods that it reads itself. */
  readonly reads: ReadonlySet<string>;
  readonly refused: NonNullable<SourceRecord['refused']>;
  /** One that keeps failing, or did lately, is not relied on to pass a pod on. */
  readonly isReliable: boolean;
}

interface Known {
  readonly peers: readonly { readonly url: string }[];
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it. */
  readonly podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>;
  readonly now: number;
}

interface KnownSources {
  readonly pods: readonly string[];
  readonly peers: readonly KnownPeer[];
}

export interface PodRoles {
  /** Among the pods that this node speaks for itself. */
  readonly read: FindPod;
  /** Is a pod (`sourceKey`) taken from another peer than this one? */
  readonly isFromOthers: (url: string, pod: string) => boolean;
}

/**
 * The pods that this node has read, and the peers in the order of precedence. It yields between peers, as each may read many pods.
 * @param read the sources that this node reads
 */
export function* knownSources(
  read: readonly Source[],
  stored: readonly StoredSource[],
  { peers: order, podsReadBy, now }: Known,
): Generator<void, KnownSources> {
  const records = new Map(stored.map(({ source, record }) => [sourceKey(source), record]));
  const { rank } = precedenceOf({ pods: [], peers: order.map(({ url }) => url) });
  const of = (kind: Source['kind']) => read.filter((source) => source.kind === kind);
  const isRead = (source: Source) => records.get(sourceKey(source))?.lastSuccess !== undefined;
  const pods = of('pod').flatMap((source) => (isRead(source) ? source.url : []));
  const peers: KnownPeer[] = [];
  for (const source of of('peer').sort((a, b) => rank(a) - rank(b) || compareText(a.url, b.url))) {
    yield;
    const record = records.get(sourceKey(source)) ?? { failures: 0 };
    const { refused = {} } = record;
    const isReliable = unreliableAfter(record, now) === undefined;
    peers.push({ url: source.url, reads: podsReadBy(record), refused, isReliable });
  }
  return { pods, peers };
}

/**
 * From which peer each pod that is not read here is taken: from the first reliable one that reads it (design,
 * section 6). What another one has given stays until that one has given it. It yields between peers, too.
 */
export function* podRoles({ pods, peers }: KnownSources): Generator<void, PodRoles> {
  const firsts = new Map<string, number>();
  for (const [place, { reads, isReliable }] of peers.entries()) {
    yield;
    for (const pod of isReliable ? reads : []) if (!firsts.has(pod)) firsts.set(pod, place);
  }
  const places = new Map(peers.map(({ url }, place) => [url, place]));
  const gives = (place: number, pod: string) => {
    const { reads, refused } = peers[place] ?? {};
    return reads?.has(pod) === true && !(refused && pod in refused);
  };
  return {
    read: findPodAmong(pods),
    isFromOthers(url, pod) {
      const place = places.get(url) ?? peers.length;
      const first = firsts.get(pod) ?? place;
      // Who comes before all that are known to read the pod reads it, too, since now.
      const isFirst = place === first || (place < first && peers[place]?.isReliable === true);
      return !isFirst && (gives(first, pod) || !gives(place, pod));
    },
  };
}

/** The addresses because of which something of a peer is not stored. */
export function skippedIn({ refused = {} }: Pick<SourceRecord, 'refused'>): string[] {
  return [...new Set(Object.values(refused).flat())].sort();
}

/** Is a pod taken by these rules, given that the peer reads it? */
function takes(rules: StatementRules, url: string): boolean {
  return takeStatement({ graph: url, of: sourceKey({ kind: 'pod', url }) }, rules) === 'taken';
}

/** The pods that are taken now and were not: the peer has to tell everything again. */
export function takenAgain(record: Pick<SourceRecord, 'refused'>, rules: StatementRules): string[] {
  return skippedIn(record).filter((url) => takes(rules, url));
}

/** The pods that are stored of a peer and not taken of it any more: its next poll drops them. */
export function takenNoMore({ reads, refused }: KnownPeer, rules: StatementRules): string[] {
  const given = [...reads].filter((pod) => !(pod in refused));
  return given.map((pod) => sourceOfKey(pod).url).filter((url) => !takes(rules, url));
}
