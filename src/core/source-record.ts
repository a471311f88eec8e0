import type { Source } from '../component/source.js';
import type { StoredDocument } from './document-record.js';
import type { Introduced } from './network-lists.js';

/** How it is learned what has changed at a peer. Times are ms since the epoch. */
export type Following =
  | { readonly by: 'feed'; readonly since: number }
  | {
      readonly by: 'listing';
      readonly since: number;
      /** Why not from its feed. */
      readonly why: string;
      /** When it was last looked whether there is a feed. */
      readonly looked: number;
    };

/** Removals that are pending (design, section 15). Times are ms since the epoch. */
export interface Shrink {
  readonly since: number;
  /** Complete polls in a row that found it. */
  readonly polls: number;
  readonly from: number;
  readonly to: number;
  /** The removals that all of these polls have found: of document and uri, in hashes. */
  readonly lost?: readonly string[];
}

/** What is remembered of one source between two polls, and across restarts. Times are ms since the epoch. */
export interface SourceRecord {
  readonly lastAttempt?: number;
  readonly firstSuccess?: number;
  readonly lastSuccess?: number;
  readonly nextAttempt?: number;
  /** The time before which its server wants no poll (`Retry-After`). */
  readonly notBefore?: number;
  readonly failures: number;
  readonly failingSince?: number;
  /** When it was last found failing again and again (`unreliableAfter`), as long as that matters. */
  readonly unreliableAt?: number;
  readonly error?: string;
  /** What it says does not lead to the digests that it tells. */
  readonly disagrees?: boolean;
  /** Documents that were listed and not read, because this node keeps no more of the source. */
  readonly unread?: number;
  readonly introduced?: Introduced;
  /** Of a peer: pods or origins because of which not all that it says is stored, by `DocumentRecord.of` or ''. */
  readonly refused?: Readonly<Record<string, readonly string[]>>;
  readonly following?: Following;
  /** What the source has lost and is still served; absent when nothing is pending. */
  readonly shrink?: Shrink;
  /** What the kind of source itself wants to find again: plain JSON. */
  readonly memo?: Readonly<Record<string, unknown>>;
}

/** What is stored of a source, for its next poll and for the status page. */
export interface StoredSource {
  readonly source: Source;
  readonly record: SourceRecord;
  readonly documents: ReadonlyMap<string, StoredDocument>;
}
