import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/precedence.js';
import type { DocumentRecord, SourceRecord } from './source-record.js';

/** How a poll leaves one document: read anew, unchanged but for what is remembered of it, or gone. */
export type DocumentChange =
  | { readonly url: string; readonly components: readonly Metadata[]; readonly record: DocumentRecord }
  | { readonly url: string; readonly components?: never; readonly record: DocumentRecord }
  | { readonly url: string; readonly components?: never; readonly record: null };

/** Everything that one poll of one source changes. It is committed as a whole or not at all. */
export interface SourceChange {
  readonly source: Source;
  readonly documents: readonly DocumentChange[];
  /** What becomes of the source's record, given what it is when the change has its turn. */
  readonly record: (current: SourceRecord) => SourceRecord;
}

/** What is to change in the node's own graph: descriptions that are added or replaced, and uris whose description goes. */
export interface OwnChange {
  readonly put?: readonly Metadata[];
  readonly remove?: readonly string[];
}
