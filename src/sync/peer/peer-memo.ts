import { sourceOfKey } from '../../component/source.js';
import type { SourceRecord } from '../../core/source-record.js';
import type { FeedSummary } from './feed-page.js';
import type { Fingerprint } from './fingerprint.js';

/** What a peer source wants to find again at its next poll. */
export interface PeerMemo {
  /** How the peer was understood: with another vocabulary, or in another mode, its answers mean something else. */
  readonly readAs?: string;
  /** The state of each resource that was read last. */
  readonly peers?: ListMemo;
  readonly storage?: ListMemo;
  /** Of a peer that is read by its listing. */
  readonly component?: {
    readonly mark: Fingerprint;
    readonly pageSize?: number;
    /** Was the listing read with all graphs, or is this a node that does not know them? Not known when absent. */
    readonly graphs?: 'all' | 'unknown';
  };
  /** Of a peer that is followed by its feed. */
  readonly feed?: FeedMemo;
}

/** Of a list of addresses. */
export interface ListMemo {
  readonly mark: Fingerprint;
  /** Was it Turtle when it was read last? */
  readonly isTurtle?: boolean;
}

/** The memo of a peer's record; the store keeps it as plain JSON, which nobody else writes. */
export function peerMemo(record: SourceRecord | undefined): PeerMemo {
  return (record?.memo ?? {}) as PeerMemo;
}

/** A summary of a source, in short. */
export type SummaryMemo = readonly [of: string, rank: number, count: number, digest: string];

/** What is remembered of a peer's feed: plain JSON. */
export interface FeedMemo {
  /** Names the state of the peer that is stored; absent while none is. */
  readonly cursor?: string;
  /** What the peer said of its sources in that state. */
  readonly lines?: readonly SummaryMemo[];
  /** Tells states of the peer's lists of addresses apart. */
  readonly network?: number;
  /** Have both been read in that state? */
  readonly listsRead?: boolean;
  /** What the peer said of them in short, when they were read and that was so: see `listsDigest`. */
  readonly lists?: string;
  /** When that was looked at last, ms since the Unix epoch. */
  readonly listsSeen?: number;
  /** Changes on a page, where pages have proved too large. */
  readonly pageSize?: number;
  /** Why everything has to be read again, where that was tried in vain. */
  readonly startOver?: string;
  /** Polls in a row in which the peer did not know the state that it had named itself. */
  readonly forgotten?: number;
}

export function summaryMemo({ of, rank, count, digest }: FeedSummary): SummaryMemo {
  return [of, rank, count, digest];
}

export function summaryOf([of, rank, count, digest]: SummaryMemo): FeedSummary {
  return { of, rank, count, digest };
}

/**
 * The pods that a peer reads itself and that have something to say, as `sourceKey`s: as its feed has told. Nothing is known
 * of a peer that is read by its listing.
 */
export function podsReadBy(record: SourceRecord | undefined): ReadonlySet<string> {
  const { cursor, lines: summaries = [] } = peerMemo(record).feed ?? {};
  if (cursor === undefined) return new Set();
  return new Set(
    summaries.flatMap(([of, , count]) => (count > 0 && sourceOfKey(of).kind === 'pod' ? [of] : [])),
  );
}
