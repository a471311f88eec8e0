import type { Metadata } from '../../../component/metadata.js';
import type { Wrong } from '../../wrong.js';

/** A page of a peer's `/feed` or `/feed/sources`. It keeps the rules that a single page can be held to. */
export interface FeedPage {
  /** Names the state of the peer that the page belongs to. */
  readonly cursor: string;
  /** Moves with the peer's lists of addresses. */
  readonly network?: number;
  /** Sources of the peer: those that have changed, or all. */
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

/** A change in a document of one of the peer's sources. */
interface PlacedChange {
  readonly position: number;
  /** Of the source: `sourceKey`. */
  readonly of: string;
  /** The name that the document has at the peer; percent-encoded where that is no IRI. */
  readonly graph: string;
}

/** What a document says of a component, or that it says nothing of it any more. */
export interface FeedStatement extends PlacedChange {
  readonly uri: string;
  /** Absent when the document no longer describes the component. */
  readonly metadata?: Metadata;
  readonly wrong?: never;
}

/** What cannot be taken: of the document nothing at all, unless only what it says of one component is wrong. */
export interface WrongChange extends PlacedChange {
  readonly uri?: string;
  readonly metadata?: never;
  readonly wrong: Wrong;
}

export type FeedChange = FeedStatement | WrongChange;
