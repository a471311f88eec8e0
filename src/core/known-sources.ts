import { type Source, sourceKey } from '../component/source.js';
import { elapsed } from '../lib/clock.js';
import { compareText } from '../lib/compare-text.js';
import type { KnownPeer, KnownPod } from './pod-roles.js';
import { precedenceOf } from './precedence.js';
import type { SourceRecord, StoredSource } from './source-record.js';

/** A peer whose polls have failed so often in a row is not relied on to pass a pod on, and for so long afterwards, in ms. */
const UNRELIABLE = { failures: 3, ms: 60 * 60_000 } as const;
/** A pod whose first poll has not ended by then is waited for no longer, in ms: its host may be slow, or the queue long. */
const LONGEST_WAIT = 3 * 60_000;

/** What is remembered of a source that is read beside its record, in ms since the epoch: since when, and its last failure. */
export interface SourceTimes {
  readonly since: number;
  /** When it was found failing again and again the last time. */
  readonly failed?: number | undefined;
}

/** The sources that a node reads, and what is known of them. */
export interface ReadSources {
  readonly read: readonly Source[];
  readonly stored: readonly StoredSource[];
  readonly now: number;
}

/** By key, what is remembered of the sources that are read now. */
export function timesAfter(
  before: ReadonlyMap<string, SourceTimes>,
  { read, stored, now }: ReadSources,
): Map<string, SourceTimes> {
  const failures = new Map(stored.map(({ source, record }) => [sourceKey(source), record.failures]));
  return new Map(
    read.map(sourceKey).map((key) => {
      const { since, failed } = before.get(key) ?? { since: now };
      const isFailing = (failures.get(key) ?? 0) >= UNRELIABLE.failures;
      return [key, { since, failed: isFailing ? now : failed }];
    }),
  );
}

/** The pods, and the peers in the order of precedence. */
export interface KnownSources {
  readonly pods: readonly KnownPod[];
  readonly peers: readonly KnownPeer[];
}

/**
 * What the records of the sources that are read say about who reads which pods.
 * @param podsReadBy the pods that a peer reads itself, as `sourceKey`s, by what is stored of it
 */
export function knownSources(
  { read, stored, now }: ReadSources,
  times: ReadonlyMap<string, SourceTimes>,
  configuredPeers: readonly { readonly url: string }[],
  podsReadBy: (record: SourceRecord | undefined) => ReadonlySet<string>,
): KnownSources {
  const records = new Map(stored.map(({ source, record }) => [sourceKey(source), record]));
  const { rank } = precedenceOf({ pods: [], peers: configuredPeers.map(({ url }) => url) });
  const about = (source: Source) => {
    const key = sourceKey(source);
    return { url: source.url, record: records.get(key), ...(times.get(key) ?? { since: now }) };
  };
  return {
    pods: read
      .filter(({ kind }) => kind === 'pod')
      .map(about)
      .map(({ url, record, since }) => ({ url, state: stateOf(record, elapsed(since, now)) })),
    peers: read
      .filter(({ kind }) => kind === 'peer')
      .toSorted((one, other) => rank(one) - rank(other) || compareText(one.url, other.url))
      .map(about)
      .map(({ url, record, failed }) => ({
        ...{ url, reads: podsReadBy(record), refused: new Set(Object.keys(record?.refused ?? {})) },
        skipped: record?.skipped ?? [],
        isReliable: failed === undefined || elapsed(failed, now) >= UNRELIABLE.ms,
      })),
  };
}

/** @param waited for how long the pod has been read, in ms */
function stateOf(record: SourceRecord | undefined, waited: number): KnownPod['state'] {
  if (record?.lastSuccess !== undefined) return 'read';
  return record?.failures || waited >= LONGEST_WAIT ? 'unread' : 'awaited';
}
