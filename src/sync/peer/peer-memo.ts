import { sourceOfKey } from '../../component/source.js';
import type { SourceRecord } from '../../core/source-record.js';
import type { Validators } from '../../lib/fetch/validators.js';

/**
 * What tells one state of a resource from the next: the server's entity tag, or else its date, where the
 * resource cannot have changed since without another one, and the hash of the body.
 */
export interface Fingerprint extends Validators {
  readonly hash?: string;
}

/** The path of the listing that every node has. A peer that is read by it does not say who says what it lists. */
export const PLAIN_LISTING = '/component';

/** What the reader of a peer wants to find again at its next poll: plain JSON. */
export interface PeerMemo {
  /** How the peer was understood: in another vocabulary or mode, its answers mean something else. */
  readonly readAs?: string;
  /** Of a peer that is read by its listing: the states of its lists of addresses, by their paths, and of that. */
  readonly marks?: Readonly<Record<string, Fingerprint>>;
  readonly listing?: { readonly path: string; readonly mark: Fingerprint } | undefined;
  /** Of a peer that is followed by its feed. */
  readonly feed?: FeedMemo | undefined;
}

interface FeedMemo {
  /** Names the state of the peer that is stored. */
  readonly cursor: string;
  /** What the peer said of its sources in that state. */
  readonly lines: readonly FeedSummary[];
  /** Of the peer's lists of addresses, once both have been read in this state, or in a later one. */
  readonly network?: number | undefined;
}

/** What one source of the peer says, in short: see `SourceSummary`. */
export interface FeedSummary {
  /** `sourceKey` */
  readonly of: string;
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
}

/** The memo of a peer's record; the store keeps it as plain JSON, which nobody else writes. */
export function peerMemo(record: SourceRecord | undefined): PeerMemo {
  return (record?.memo ?? {}) as PeerMemo;
}

/**
 * The pods that a peer reads itself and that have something to say, as `sourceKey`s: as its feed has told.
 * Nothing is known of a peer that is read by its listing.
 */
export function podsReadBy(record: SourceRecord | undefined): ReadonlySet<string> {
  const { lines = [] } = peerMemo(record).feed ?? {};
  return new Set(lines.flatMap(({ of, count }) => (count > 0 && sourceOfKey(of).kind === 'pod' ? [of] : [])));
}
