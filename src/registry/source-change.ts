import type { Source } from '../component/source.js';
import type { ChangeExamples, DocumentChange } from '../core/document-change.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Lease as KeepLease } from '../keep/keep.js';

/** What one poll of one source changes. */
export interface SourceChange {
  readonly source: Source;
  readonly documents: readonly DocumentChange[];
  /** What becomes of the source's record, given what it is when the change has its turn. */
  readonly record: (current: SourceRecord) => SourceRecord;
  /** What its documents must say afterwards, in digests (`LtHash.digest`) by `DocumentRecord.of`, or else `DigestMismatch`. */
  readonly expected?: ReadonlyMap<string, string>;
  /** Of the poll that has found this, where nodes share the registry. The change is refused with `LeaseLost` when it is lost. */
  readonly lease?: Lease;
}

/**
 * A source that nobody else polls while something is heard of this node and it has not released the source. A node that was paused
 * for longer does not know that it is another's now: so the registry compares the lease with each commit.
 */
export interface Lease extends KeepLease {
  /** Of the data, when the lease is taken. */
  readonly epoch: string;
}

/** How many descriptions a commit added, changed and removed for its source, and of which components, as examples. */
export interface ChangeCount {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly examples: ChangeExamples;
}

const NO_EXAMPLES: ChangeExamples = { added: [], changed: [], removed: [] };
export const NO_CHANGE: ChangeCount = { added: 0, changed: 0, removed: 0, examples: NO_EXAMPLES };
