import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type Source, sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { storedQuads } from '../../../component/writing/metadata-quads.js';
import { HashChange, NO_HASHES, type SourceHashes } from '../../../core/source-digests.js';
import type { Pace } from '../../../lib/pace.js';
import { unread } from '../../../registry/document-record.js';
import type { ChangeLog } from '../changes/change-log.js';
import type { ChangeWriter } from '../changes/change-writer.js';
import { WAY_OUT } from '../database/damage.js';
import { graphName } from '../database/graph-name.js';
import type { QuadStore } from '../database/quad-store.js';
import { TABLES } from '../database/tables.js';
import type { DiskDocument, Sources } from '../disk-source.js';

export interface MendingParts {
  readonly store: QuadStore;
  readonly options: { readonly vocabulary: Vocabulary; readonly pace: Pace };
  readonly sources: Sources;
  readonly log: Pick<ChangeLog, 'sources'>;
  readonly writer: Pick<ChangeWriter, 'write'>;
}

/**
 * What is done where the quads of a source are not what the digests of the feed tell. Is the catalog, its quads are written
 * anew from it. Else the source is read again; what was posted here cannot be. Nothing else may change the source meanwhile.
 * @returns whether its quads are what has been stored, then, and what has come of it, for the operator
 */
export async function mendQuads(
  source: Source,
  parts: MendingParts,
): Promise<{ readonly isRight: boolean; readonly outcome: string }> {
  const documents = parts.sources.get(source)?.documents ?? new Map<string, DiskDocument>();
  const known = parts.log.sources.get(sourceKey(source))?.hashes ?? NO_HASHES;
  const served = new HashChange(NO_HASHES);
  const breathe = parts.options.pace();
  for (const [url, { record, entries }] of documents) {
    for (const { metadata } of entries) {
      served.add(record.of ?? '', url, metadata);
      await breathe();
    }
  }
  const { all } = served;
  const isRight =
    all.size === known.size && [...known].every(([of, hash]) => all.get(of)?.digest() === hash.digest());
  if (!isRight && source.kind === 'local')
    return { isRight, outcome: `what was posted here is not what is served, either: ${WAY_OUT}` };
  for (const [url, document] of documents) await mendGraph(graphName(source, url), document, parts);
  if (!isRight) await forgetReading(source, { ...parts, known, served });
  return {
    isRight,
    outcome: isRight
      ? 'its quads have been written anew, from the catalog, which is what has been stored'
      : 'what is served of it is not what has been stored, either: it is read again in full with its next poll',
  };
}

/** Has the next poll read all of a source, and the digests tell what is there until then. */
async function forgetReading(
  source: Source,
  {
    sources,
    writer,
    known,
    served,
  }: MendingParts & { readonly known: SourceHashes; readonly served: HashChange },
): Promise<void> {
  const record = { failures: 0 };
  const documents = [...(sources.get(source)?.documents ?? [])];
  const rows = [
    TABLES.source(source, record),
    ...documents.map(([url, document]) => TABLES.document(source, url, unread(document.record))),
    ...[...known.keys()].filter((of) => !served.all.has(of)).map((of) => TABLES.hash(source, of, undefined)),
  ];
  await writer.write({ source, differences: [], rows, hashes: served });
  for (const [, document] of documents) document.record = unread(document.record);
  sources.remember(source, record);
}

async function mendGraph(
  name: string,
  { entries }: DiskDocument,
  { store, options }: Pick<MendingParts, 'store' | 'options'>,
): Promise<void> {
  const graph = DataFactory.namedNode(name);
  const breathe = options.pace();
  const change = new QuadDifference();
  for (const { metadata } of entries) {
    change.expect(storedQuads(metadata, options.vocabulary, graph));
    await breathe();
  }
  for await (const quads of store.read(name)) {
    change.find(quads);
    await breathe();
  }
  await store.write({ ...change.outcome, durable: true });
}

/** What has to go and to come, so that the quads that are found are those that are expected. */
export class QuadDifference {
  readonly #missing = new Map<string, Quad>();
  readonly #remove: Quad[] = [];

  expect(quads: Iterable<Quad>): void {
    for (const quad of quads) this.#missing.set(keyOf(quad), quad);
  }

  /** To be called when all are expected that may be among these. */
  find(quads: Iterable<Quad>): void {
    for (const quad of quads) if (!this.#missing.delete(keyOf(quad))) this.#remove.push(quad);
  }

  get outcome(): { readonly remove: readonly Quad[]; readonly add: readonly Quad[] } {
    return { remove: this.#remove, add: [...this.#missing.values()] };
  }
}

function keyOf({ graph, subject, predicate, object }: Quad): string {
  const { termType, value } = object;
  const type = 'datatype' in object ? `${object.datatype.value} ${object.language}` : '';
  return JSON.stringify([graph.value, subject.value, predicate.value, termType, value, type]);
}
