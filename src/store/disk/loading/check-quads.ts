import type { Quad } from '@rdfjs/types';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { HashChange, NO_HASHES, type SourceHashes } from '../../../core/source-digests.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import { DamagedData } from '../database/damage.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore } from '../database/quad-store.js';
import type { StatementsNote } from '../database/statements-note.js';
import { readHashes } from './load-changes.js';
import { subjectsOf } from './rebuild.js';

/**
 * Quads are what is stored, and the rows beside them are made from them: a node that has lost quads would serve from its
 * rows until they are made anew, and lost too (design, section 5, "One truth"). More quads than are needed do no harm.
 * @throws DamagedData when there are fewer than the rows stand for
 */
export function refuseFewerQuads({ place }: QuadStore, found: number, needed: number): void {
  if (found < needed)
    throw new DamagedData(place, `there are ${found} quads, and ${needed} have been stored`);
}

/**
 * Compares what the quads say with the digest of each source. To be called before rows are made from quads, or quads from
 * quads, in the vocabulary in which they are written. @throws DamagedData
 */
export async function refuseOtherQuads(store: QuadStore, vocabulary: Vocabulary): Promise<void> {
  const note = await store.row<StatementsNote>('meta', 'statements');
  // While rows are being made, the quads have been looked at already.
  if (!note?.writtenAs) return;
  const parts = new Map<string, string>();
  for await (const [key, { of = '' }] of store.rows<DocumentRecord>('document')) parts.set(key, of);
  const said = new SaidByQuads(vocabulary, (key, document) => parts.get(`${key} ${document}`));
  for await (const quads of subjectsOf(store.read({}))) said.add(quads);
  for (const [key, { hashes }] of await readHashes(store)) {
    if (said.isAllOf(key, hashes)) continue;
    throw new DamagedData(store.place, `the quads of the ${key} do not say what has been stored`);
  }
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
