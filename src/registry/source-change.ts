import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { Amendment, DocumentChange } from '../core/document-change.js';
import type { SourceRecord } from '../core/source-record.js';
import { grouped } from '../lib/grouped.js';
import type { Lease } from './shared-polls.js';

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

/**
 * The same changes, with each document once: of what is named again, as at the end of a poll that has kept removals back, the
 * later change counts on top of the one before.
 */
export function eachDocumentOnce(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const byUrl = grouped(changes, ({ url }) => url);
  if (byUrl.size === changes.length) return changes;
  return [...byUrl.values()].map(([first, ...others]) => others.reduce(onTopOf, first));
}

function onTopOf(before: DocumentChange, after: DocumentChange): DocumentChange {
  const { url, components, record } = after;
  if (components || record === null) return after;
  const { put = [], remove = [] } = after.amend ?? {};
  const named = new Set([...put.map(({ uri }) => uri), ...remove]);
  const joined = (said: readonly Metadata[] = []) => [...put, ...said.filter(({ uri }) => !named.has(uri))];
  if (before.components || before.record === null)
    return { url, components: joined(before.components), record };
  const earlier = before.amend ?? {};
  return { url, amend: { put: joined(earlier.put), remove: [...remove, ...(earlier.remove ?? [])] }, record };
}

/** What is to change in the node's own graph: descriptions that are added or replaced, and uris whose description goes. */
export type OwnChange = Amendment;
