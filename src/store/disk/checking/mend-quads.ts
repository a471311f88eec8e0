import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type Source, sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { storedQuads } from '../../../component/writing/metadata-quads.js';
import { HashChange, NO_HASHES } from '../../../core/source-digests.js';
import type { Pace } from '../../../lib/pace.js';
import type { ChangeLog } from '../changes/change-log.js';
import { WAY_OUT } from '../database/damage.js';
import { graphName } from '../database/graph-name.js';
import type { QuadStore } from '../database/quad-store.js';
import type { DiskDocument, Sources } from '../disk-source.js';

export interface MendingParts {
  readonly store: QuadStore;
  readonly options: { readonly vocabulary: Vocabulary; readonly pace: Pace };
  readonly sources: Sources;
  readonly log: Pick<ChangeLog, 'sources'>;
}

/**
 * Writes the quads of a source anew, as the catalog has them, if the digests of the feed tell that it is right. Nothing else
 * may change the source meanwhile.
 * @returns what has come of it, for the operator
 */
export async function mendQuads(
  source: Source,
  { store, options, sources, log }: MendingParts,
): Promise<string> {
  const documents = sources.get(source)?.documents ?? new Map<string, DiskDocument>();
  const known = log.sources.get(sourceKey(source))?.hashes ?? NO_HASHES;
  const held = new HashChange(NO_HASHES);
  const breathe = options.pace();
  for (const [url, { record, entries }] of documents) {
    for (const { metadata } of entries) {
      held.add(record.of ?? '', url, metadata);
      await breathe();
    }
  }
  const { all } = held;
  const isRight =
    all.size === known.size && [...known].every(([of, hash]) => all.get(of)?.digest() === hash.digest());
  if (!isRight) return `what is served of it is not what has been stored, either: ${WAY_OUT}`;
  for (const [url, document] of documents)
    await mendGraph(graphName(source, url), document, { store, options });
  return 'its quads have been written anew, from the catalog, which is what has been stored';
}

async function mendGraph(
  name: string,
  { entries }: DiskDocument,
  { store, options }: Pick<MendingParts, 'store' | 'options'>,
): Promise<void> {
  const graph = DataFactory.namedNode(name);
  const breathe = options.pace();
  const missing = new Map<string, Quad>();
  for (const { metadata } of entries) {
    for (const quad of storedQuads(metadata, options.vocabulary, graph)) missing.set(keyOf(quad), quad);
    await breathe();
  }
  const remove: Quad[] = [];
  for await (const quads of store.read({ graph })) {
    for (const quad of quads) if (!missing.delete(keyOf(quad))) remove.push(quad);
    await breathe();
  }
  await store.write({ remove, add: [...missing.values()], durable: true });
}

function keyOf({ subject, predicate, object }: Quad): string {
  const { termType, value } = object;
  const type = 'datatype' in object ? `${object.datatype.value} ${object.language}` : '';
  return JSON.stringify([subject.value, predicate.value, termType, value, type]);
}
