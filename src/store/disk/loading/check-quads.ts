import type { Quad } from '@rdfjs/types';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { HashChange, NO_HASHES, type SourceHashes } from '../../../core/source-digests.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import { DamagedData } from '../database/damage.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore } from '../database/quad-store.js';
import { readHashes, type StoredHashes } from './load-changes.js';
import { subjectsOf } from './rebuild.js';

/**
 * Compares what the quads say with the digest of each source. To be called before quads are made from quads, in the
 * vocabulary in which they are written. @throws DamagedData
 */
export async function refuseOtherQuads(store: QuadStore, vocabulary: Vocabulary): Promise<void> {
  const [other] = await otherSources(store, vocabulary);
  if (other) throw new DamagedData(store.place, `the quads of the ${sourceKey(other.source)} ${OTHERWISE}`);
}

export const OTHERWISE = 'do not say what has been stored';

/** The sources whose quads do not say what their digests tell. */
export async function otherSources(store: QuadStore, vocabulary: Vocabulary): Promise<StoredHashes[]> {
  const parts = new Map<string, string>();
  for await (const [key, { of = '' }] of store.rows<DocumentRecord>('document')) parts.set(key, of);
  const said = new SaidByQuads(vocabulary, (key, document) => parts.get(`${key} ${document}`));
  for await (const quads of subjectsOf(store.read())) said.add(quads);
  return [...(await readHashes(store))]
    .filter(([key, { hashes }]) => !said.isAllOf(key, hashes))
    .map(([, one]) => one);
}

/** The digests of what quads say, by source. */
export class SaidByQuads {
  readonly #vocabulary: Vocabulary;
  readonly #partOf: (key: string, document: string) => string | undefined;
  readonly #bySource = new Map<string, HashChange>();

  /** @param partOf `DocumentRecord.of` of a document of the source with that `sourceKey` */
  constructor(vocabulary: Vocabulary, partOf: (key: string, document: string) => string | undefined) {
    this.#vocabulary = vocabulary;
    this.#partOf = partOf;
  }

  /** Takes all quads of one subject in one graph. */
  add(quads: readonly Quad[]): void {
    const origin = readGraphName(quads[0]?.graph.value ?? '');
    if (!origin) return;
    const key = sourceKey(origin.source);
    const hashes = this.#bySource.get(key) ?? new HashChange(NO_HASHES);
    this.#bySource.set(key, hashes);
    for (const metadata of componentsFromQuads(quads, this.#vocabulary).components) {
      hashes.add(this.#partOf(key, origin.document) ?? '', origin.document, metadata);
    }
  }

  /** Do they say what the source with that `sourceKey` is known to say, and nothing else? */
  isAllOf(key: string, known: SourceHashes): boolean {
    const found = this.#bySource.get(key)?.all ?? NO_HASHES;
    return (
      found.size === known.size && [...known].every(([of, hash]) => found.get(of)?.digest() === hash.digest())
    );
  }
}
