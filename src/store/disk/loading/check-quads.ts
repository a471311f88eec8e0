import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { HashChange, NO_HASHES } from '../../../core/source-digests.js';
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
  const said = new Map<string, HashChange>();
  for await (const quads of subjectsOf(store)) {
    const origin = readGraphName(quads[0]?.graph.value ?? '');
    if (!origin) continue;
    const key = sourceKey(origin.source);
    const hashes = said.get(key) ?? new HashChange(NO_HASHES);
    said.set(key, hashes);
    for (const metadata of componentsFromQuads(quads, vocabulary).components) {
      hashes.add(parts.get(`${key} ${origin.document}`) ?? '', origin.document, metadata);
    }
  }
  for (const [key, { hashes }] of await readHashes(store)) {
    const found = said.get(key)?.all ?? NO_HASHES;
    if ([...hashes].every(([of, hash]) => found.get(of)?.digest() === hash.digest())) continue;
    throw new DamagedData(store.place, `the quads of the ${key} do not say what has been stored`);
  }
}
