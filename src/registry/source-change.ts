import type { Source } from '../component/source.js';
import type { ChangeExamples, DocumentChange } from '../core/document-change.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Lease as KeepLease } from '../keep/keep.js';

/** Everything that one poll of one source changes. It is committed as a whole or not at all. */
export interface SourceChange {
  readonly source: Source;
  readonly documents: readonly DocumentChange[];
  /** What becomes of the source's record, given what it is when the change has its turn. */
  readonly record: (current: SourceRecord) => SourceRecord;
  /**
   * What the documents of the source must say afterwards, in digests (`LtHash.digest`) by `DocumentRecord.of`. Where they would say something else, the change is refused with `DigestMismatch`.
   */
  readonly expected?: ReadonlyMap<string, string>;
  /** Of the poll that has found this, where nodes share the registry. The change is refused with `LeaseLost` when it is lost. */
  readonly lease?: Lease;
}

/**
 * A source that nobody else polls for as long as something is heard of this node and it has not released the source. A node
 * that was paused for longer does not know that the source is another's now: the poll names its lease with all that it
 * commits (`SourceChange.lease`), and the registry compares.
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

export const NO_CHANGE: ChangeCount = {
  added: 0,
  changed: 0,
  removed: 0,
  examples: { added: [], changed: [], removed: [] },
};
