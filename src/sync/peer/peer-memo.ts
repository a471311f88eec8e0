import type { SourceRecord } from '../../registry/source-record.js';
import type { FeedMemo } from './feed-memo.js';
import type { Mark } from './mark.js';

/** What a peer source wants to find again at its next poll. */
export interface PeerMemo {
  /** How the peer was understood: with another vocabulary, or in another mode, its answers mean something else. */
  readonly readAs?: string;
  /** The state of each resource that was read last. */
  readonly peers?: ListMemo;
  readonly storage?: ListMemo;
  /** Of a peer that is read by its listing. */
  readonly component?: {
    readonly mark: Mark;
    readonly pageSize?: number;
    /** Was the listing read with all graphs, or is this a node that does not know them? Not known when absent. */
    readonly graphs?: 'all' | 'unknown';
  };
  /** Of a peer that is followed by its feed. */
  readonly feed?: FeedMemo;
}

/** Of a list of addresses. */
export interface ListMemo {
  readonly mark: Mark;
  /** The most hops of entries that were asked for; absent when all were. */
  readonly hops?: number;
}

/** The memo of a peer's record; the store keeps it as plain JSON, which nobody else writes. */
export function peerMemo(record: SourceRecord | undefined): PeerMemo {
  return (record?.memo ?? {}) as PeerMemo;
}
