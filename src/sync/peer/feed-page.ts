import type { Metadata } from '../../component/metadata.js';

/** A page of a peer's `/feed`, `/feed/sources` or `/feed/source`. It keeps the rules that a single page can be held to. */
export interface FeedPage {
  /** Names the state of the peer that the page belongs to. */
  readonly cursor: string;
  /** Moves with the peer's lists of addresses; absent on pages of one source. */
  readonly network?: number;
  /** The digest of the summaries of those kinds of sources that were asked about; absent where the peer tells of all. */
  readonly digest?: string;
  /** Sources of the peer: those that have changed, all, or the one that was asked for. */
  readonly summaries: readonly FeedSummary[];
  /** Positions rise. */
  readonly changes: readonly FeedChange[];
  /** Is there another page? */
  readonly more: boolean;
  /** Of its text. */
  readonly characters: number;
}

/** What one source of the peer says, in short: see `SourceSummary`. */
export interface FeedSummary {
  /** `sourceKey` */
  readonly of: string;
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
}

/** What a document of one of the peer's sources says of a component, or that it says nothing of it any more. */
export interface FeedChange {
  readonly position: number;
  /** Of the source: `sourceKey`. */
  readonly of: string;
  /** The name that the document has at the peer. */
  readonly graph: string;
  readonly uri: string;
  /** Absent when the document no longer describes the component. */
  readonly metadata?: Metadata;
}
