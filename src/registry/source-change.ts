import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { Amendment } from '../core/document-change.js';
import type { DocumentRecord } from './document-record.js';
import type { Lease } from './shared-polls.js';
import type { SourceRecord } from './source-record.js';

/**
 * How a poll leaves one document: read again, amended, unchanged but for what is remembered of it, or gone. Where the
 * authority in `record` is another one than before, the rank of all that the document says changes.
 */
export type DocumentChange =
  | {
      readonly url: string;
      readonly components: readonly Metadata[];
      readonly amend?: never;
      readonly record: DocumentRecord;
    }
  | {
      readonly url: string;
      readonly components?: never;
      readonly amend: Amendment;
      readonly record: DocumentRecord;
    }
  | {
      readonly url: string;
      readonly components?: never;
      readonly amend?: never;
      readonly record: DocumentRecord | null;
    };

/** Everything that one poll of one source changes. It is committed as a whole or not at all. */
export interface SourceChange {
  readonly source: Source;
  readonly documents: readonly DocumentChange[];
  /** What becomes of the source's record, given what it is when the change has its turn. */
  readonly record: (current: SourceRecord) => SourceRecord;
  /**
   * What the documents of the source must say afterwards, in digests (`StatementHash.digest`) by `DocumentRecord.of`. Where they would say something else, the change is refused with `DigestMismatch`.
   */
  readonly expected?: ReadonlyMap<string, string>;
  /** Of the poll that has found this, where nodes share the registry. The change is refused with `LeaseLost` when it is lost. */
  readonly lease?: Lease;
}

/** What is to change in the node's own graph: descriptions that are added or replaced, and uris whose description goes. */
export type OwnChange = Amendment;
