import { type Metadata, sameMetadata } from '../../component/metadata.js';
import { type Source, sameSource, sourceKey } from '../../component/source.js';
import { type DocumentBefore, documentSteps, hashStep, StepCount } from '../../core/document-change.js';
import { HashChange, sourceSummary } from '../../core/source-digests.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { DocumentChange, SourceChange } from '../../registry/source-change.js';
import { type DataChange, emptySource, type MemoryData, type MemoryStatement } from './memory-data.js';

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
  const said = new StatementList(data, before.source, now);
  for (const change of changes) {
    const document = said.document(change.url, documents.get(change.url) ?? {});
    for (const step of documentSteps(change, document)) {
      await breathe();
      hashStep(step, change, document, hashes);
      count.count(step);
      if (step.kind === 'kept') continue;
      const { uri } = step.after ?? step.before.metadata;
      said.say(change, uri, step.after && { metadata: step.after, isUpdate: step.kind !== 'added' });
    }
    if (change.record) documents.set(change.url, change.record);
    else documents.delete(change.url);
  }
  hashes.verify(expected);
  const { position: first } = data.state.feed;
  const moves = said.position > first || hashes.changed.size > 0;
  const position = moves ? Math.max(said.position, first + 1) : first;
  const summary = moves ? sourceSummary(before.source, hashes.all, { rank, position }) : before.summary;
  const after = { ...before, record: record(before.record), documents, hashes: hashes.all, summary };
  const sources = new Map(data.sources).set(sourceKey(source), after);
  return { sources, statements: [...said.all], position, count, moves };
}

type LiveStatement = MemoryStatement & { readonly metadata: Metadata };

/** The statements and tombstones in the order of positions: one that changes moves to the end. */
class StatementList {
  readonly all: Set<MemoryStatement>;
  position: number;
  readonly #source: Source;
  readonly #at: number;
  /** Of the source that changes, by document and uri; tombstones included. */
  readonly #byDocument = new Map<string, Map<string, MemoryStatement>>();

  constructor({ statements, state, at }: MemoryData, source: Source, now: number) {
    this.all = new Set(statements);
    this.position = state.feed.position;
    this.#source = source;
    this.#at = Math.max(now, at);
    for (const one of statements)
      if (sameSource(one.source, source)) this.#of(one.document).set(one.uri, one);
  }

  /** What a document says now; changes that follow do not touch it. */
  document(url: string, record: DocumentRecord): DocumentBefore<LiveStatement> {
    const live = new Map<string, LiveStatement>();
    for (const { metadata, ...one } of this.#of(url).values())
      if (metadata) live.set(one.uri, { ...one, metadata });
    return {
      record,
      size: live.size,
      find: (uri) => live.get(uri),
      all: () => live.values(),
      metadataOf: ({ metadata }) => metadata,
      says: ({ metadata }, after) => sameMetadata(metadata, after),
    };
  }

  /** `says` is absent for a statement that goes. */
  say(
    { url: document }: DocumentChange,
    uri: string,
    says?: Pick<MemoryStatement, 'metadata' | 'isUpdate'>,
  ): void {
    const said = this.#of(document);
    const before = said.get(uri);
    if (before) this.all.delete(before);
    this.position += 1;
    const after = { position: this.position, at: this.#at, source: this.#source, document, uri, ...says };
    this.all.add(after);
    said.set(uri, after);
  }

  #of(document: string): Map<string, MemoryStatement> {
    const said = this.#byDocument.get(document) ?? new Map<string, MemoryStatement>();
    this.#byDocument.set(document, said);
    return said;
  }
}
