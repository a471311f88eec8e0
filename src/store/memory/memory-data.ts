import type { Metadata } from '../../component/metadata.js';
import type { Source } from '../../component/source.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import type { StoredPin } from '../../core/pins.js';
import type { SourceLine } from '../../core/source-digests.js';
import { NO_HASHES, type SourceHashes } from '../../core/source-digests.js';
import type { StatementChange } from '../../registry/changes.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { Revision } from '../../registry/revision.js';
import type { SourceRecord } from '../../registry/source-record.js';

/** What one document says of one component. */
export interface MemoryStatement {
  readonly metadata: Metadata;
  /** See `StatementChange`. */
  readonly position: number;
  readonly at: number;
  readonly isUpdate: boolean;
  /** Since when it is said, where the change at that position was only one of its pin. */
  readonly since?: number;
}

/** One document of a source: what it says, and what is remembered of it. */
export interface MemoryDocument {
  readonly record: DocumentRecord;
  /** By uri. */
  readonly components: ReadonlyMap<string, MemoryStatement>;
}

/** A document that says nothing, and of which nothing is remembered. */
export const NO_DOCUMENT: MemoryDocument = { record: {}, components: new Map() };

export interface MemorySource {
  readonly source: Source;
  readonly record: SourceRecord;
  /** By URL. */
  readonly documents: ReadonlyMap<string, MemoryDocument>;
  readonly hashes: SourceHashes;
  /** Absent when it describes nothing. */
  readonly line?: SourceLine | undefined;
}

export function emptySource(source: Source): MemorySource {
  return { source, record: { failures: 0 }, documents: new Map(), hashes: NO_HASHES };
}

/** A former state. Each leads to the one before it, so that keeping all of them costs a commit nothing. */
export interface MemoryState {
  readonly position: number;
  /** The first digits of `Feed.digest`. */
  readonly digest: string;
  /** How many states come before it. */
  readonly number: number;
  readonly before?: MemoryState | undefined;
}

export interface MemoryFeed {
  readonly position: number;
  /** Of the latest change, ms since the Unix epoch. */
  readonly at: number;
  readonly floor: number;
  readonly state?: MemoryState;
  /** By statement, in the order of positions. */
  readonly tombstones: ReadonlyMap<string, StatementChange>;
}

/** Everything that a disk would hold. A change makes another one; who keeps one keeps a backup. */
export interface MemoryData {
  /** By `sourceKey`. */
  readonly sources: ReadonlyMap<string, MemorySource>;
  readonly network: NetworkLists;
  readonly revision: Revision | undefined;
  readonly networkRevision: Revision | undefined;
  /** What the descriptions looked like to readers at the last start. */
  readonly servedAs: string | undefined;
  /** Namespace of the vocabulary in which documents were read. */
  readonly namespace: string | undefined;
  readonly feed: MemoryFeed;
  /** By `pinKey`. */
  readonly pins: ReadonlyMap<string, StoredPin>;
}

export const NO_DATA: MemoryData = {
  sources: new Map(),
  network: NO_NETWORK,
  revision: undefined,
  networkRevision: undefined,
  servedAs: undefined,
  namespace: undefined,
  feed: { position: 0, at: 0, floor: 0, tombstones: new Map() },
  pins: new Map(),
};
