import type { Amount } from './amount.js';
import type { DocumentChange, Sayings } from './document-change.js';
import type { DocumentRecord } from './document-record.js';
import type { SourceRecord } from './source-record.js';
import type { PeerGraph } from './take.js';

/** Parts of a source's record that its reader decides. */
export type Memo = Pick<SourceRecord, 'memo' | 'introduced' | 'following'>;

/** What was found of one document: all that it says, what has changed of it, or only what is to be remembered. */
export type DocumentReading = DocumentChange & { readonly record: DocumentRecord };

/** Why a source could not be read, or not all of it. */
export interface ReadFailure {
  readonly message: string;
  /** Earliest time of the next try that the server asked for (`Retry-After`), ms since the epoch. */
  readonly notBefore?: number;
}

/**
 * A part of what one poll reads (design, section 6), as large as its reader likes: the poll puts all of them
 * together.
 */
export interface Batch {
  /** Each document once in a poll: of one that comes again, the last counts. */
  readonly put: readonly DocumentReading[];
  /** Documents that are gone. Empty but in the last batch of a complete reading. */
  readonly gone: readonly string[];
  /** Only the last batch has what follows here. */
  readonly isLast: boolean;
  /** Was all of the source looked at? Single broken documents are in their records. */
  readonly complete?: boolean;
  /** Was all given that the source says, not only what has changed? What was refused earlier counts no more. */
  readonly isWhole?: boolean;
  /** Absent when the source as a whole could be read. */
  readonly failure?: ReadFailure | undefined;
  /** The earliest time of the next poll that the server asked for, also where all could be read. */
  readonly notBefore?: number | undefined;
  /** Of a failure: what the other side says of itself is not what its digests stand for. */
  readonly disagrees?: boolean | undefined;
  /** What the reader wants to find again. What is stored stays when it is absent. */
  readonly memo?: Memo | undefined;
  /** Digests (`LtHash.digest`) that the other side tells of its sources, by `DocumentRecord.of`. */
  readonly digests?: ReadonlyMap<string, string>;
  /** Documents that were listed and not read for want of room. */
  readonly unread?: number;
}

/** How a reading ended, as far as it decides when the source is polled next. */
export type ReadingEnd = Pick<Batch, 'failure' | 'notBefore' | 'disagrees'>;

export interface ReadLimits {
  /** How much of the source is kept, with what is stored of it now. What is beyond need not be held. */
  readonly most: Amount;
  /** How much more of it may be stored now. */
  readonly room: Amount;
  /** What is stored of a document: of what is said, it comes first. */
  readonly sayings: (document: string) => Sayings;
  /** Is what a graph of a peer says taken? Of one that is not, it is only told that it is there. */
  readonly isWanted: (graph: PeerGraph) => boolean;
}
