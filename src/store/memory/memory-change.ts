import { sameMetadata } from '../../component/metadata.js';
import { sourceKey } from '../../component/source.js';
import { type DocumentBefore, documentSteps, hashStep, StepCount } from '../../core/document-change.js';
import { HashChange, sourceSummary } from '../../core/source-digests.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import { eachDocumentOnce, type SourceChange } from '../../registry/source-change.js';
import {
  type DataChange,
  emptySource,
  type LiveStatement,
  type MemoryData,
  saidBy,
  statementKey,
} from './memory-data.js';

export interface ChangedSource extends Required<Pick<DataChange, 'sources' | 'statements' | 'position'>> {
  readonly count: StepCount;
  /** Does the state move? Also when only the authority of what is said differs. */
  readonly moves: boolean;
}

/**
 * What a commit makes of a source and of the feed. Gives way to other work: the data must not change meanwhile.
 * @throws DigestMismatch; TypeError for a change of `of` without what the document says
 */
export async function changedSource(
  data: MemoryData,
  { source, documents: changes, record, expected }: SourceChange,
  { rank, now, breathe }: { readonly rank: number; readonly now: number; readonly breathe: Breather },
): Promise<ChangedSource> {
  const before = data.sources.get(sourceKey(source)) ?? emptySource(source);
  const documents = new Map(before.documents);
  const hashes = new HashChange(before.hashes);
  const count = new StepCount();
  const statements = new Map(data.statements);
  const said = saidBy(data, source);
  const at = Math.max(now, data.at);
  const { position: first } = data.state.feed;
  let last = first;
  for (const change of eachDocumentOnce(changes)) {
    const { url: document } = change;
    const stored = documentBefore(documents.get(document) ?? {}, said.get(document));
    for (const step of documentSteps(change, stored)) {
      await breathe();
      hashStep(step, change, stored, hashes);
      count.count(step, stored);
      if (step.kind === 'kept') continue;
      last += 1;
      const { uri } = step.after ?? step.before.metadata;
      const changed = { position: last, at, source: before.source, document, uri };
      const says = step.after && { metadata: step.after, isUpdate: step.kind !== 'added' };
      statements.delete(statementKey(changed));
      statements.set(statementKey(changed), { ...changed, ...says });
    }
    if (change.record) documents.set(document, change.record);
    else documents.delete(document);
  }
  hashes.verify(expected);
  const moves = last > first || hashes.changed.size > 0;
  const position = moves ? Math.max(last, first + 1) : first;
  const summary = moves ? sourceSummary(before.source, hashes.all, { rank, position }) : before.summary;
  const after = { ...before, record: record(before.record), documents, hashes: hashes.all, summary };
  const sources = new Map(data.sources).set(sourceKey(source), after);
  return { sources, statements, position, count, moves };
}

function documentBefore(
  record: DocumentRecord,
  said: readonly LiveStatement[] = [],
): DocumentBefore<LiveStatement> {
  const live = new Map(said.map((one) => [one.uri, one]));
  return {
    record,
    size: live.size,
    find: (uri) => live.get(uri),
    all: () => live.values(),
    metadataOf: ({ metadata }) => metadata,
    says: ({ metadata }, after) => sameMetadata(metadata, after),
  };
}
