import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { documentKey } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import { statementElement } from '../component/statement-digest.js';
import { createVocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import { type Precedence, precedenceOf } from '../core/precedence.js';
import type { Keep, Row } from '../keep/keep.js';
import { LtHash } from '../lib/lt-hash.js';
import { withoutPause } from '../lib/pace.js';
import {
  type DocumentRow,
  type HashRow,
  NO_CONTENTS,
  type Serving,
  type SourceRow,
} from '../registry/commit-contents.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import { graphName } from '../registry/graph-name.js';
import { documentRowKey, hashRowKey, pinRowKey, sourceRowKey } from '../registry/row-keys.js';
import { otherRows, SCHEMA, sealedRows } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/**
 * Writes what a file holds of a registry into an empty keep, as the rows that a node would have written: statements keep their order
 * and their times, however many there are of each. Everything is there when `end` has resolved, and nobody may look before.
 */
export class RestoredRegistry {
  readonly #keep: Keep;
  readonly #serving: Serving;
  readonly #precedence: Precedence;
  readonly #sources = new Map<string, SourceRow>();
  readonly #documents = new Map<string, DocumentRow>();
  readonly #hashes = new Map<string, HashRow>();
  #waiting: StatementRecord[] = [];
  #others: Row[] = [];
  #position = 0;
  #at = 0;

  /** `serving`: how a node has shown the registry. */
  constructor(keep: Keep, serving: Serving) {
    this.#keep = keep;
    this.#serving = serving;
    this.#precedence = precedenceOf(serving.order);
  }

  async store(record: ExportRecord): Promise<void> {
    const isMore = record.type === 'statement' && this.#waiting.length < MOST_AT_ONCE;
    if (!isMore && this.#waiting.length > 0) await this.#storeStatements();
    if (record.type === 'statement') this.#waiting.push(record);
    else if (record.type === 'document')
      this.#remember({ source: record.source, document: record.url, record: record.record });
    else if (record.type === 'source')
      this.#setSource({ ...this.#source(record.source), record: record.record });
    else if (record.type === 'pin')
      this.#others.push(
        ...otherRows({ ...NO_CONTENTS, pins: new Map([[pinRowKey(record.pin), record.pin]]) }),
      );
    else if (record.type === 'network') {
      const { peers, storage } = record;
      this.#others.push(...otherRows({ ...NO_CONTENTS, network: { peers, storage } }));
    }
  }

  /** @param now when the answers to this begin to be right: whoever has read older ones must not be told that they still are */
  async end(now: number): Promise<void> {
    if (this.#waiting.length > 0) await this.#storeStatements();
    const revision = { number: 1, since: now };
    const meta = {
      schema: SCHEMA,
      revision,
      networkRevision: revision,
      position: this.#position,
      at: this.#at,
    };
    const [sources, documents, hashes] = [this.#sources, this.#documents, this.#hashes];
    const held = { ...NO_CONTENTS, sources, documents, hashes };
    await this.#write([
      ...this.#others,
      ...otherRows({ ...held, serving: this.#serving, meta: { ...meta, floor: 0, purged: 0 } }),
    ]);
  }

  async #storeStatements(): Promise<void> {
    const some = this.#waiting;
    this.#waiting = [];
    const vocabulary = createVocabulary(this.#serving.namespace);
    const said = some.map(({ source, document, component, at }) => {
      this.#position += 1;
      this.#at = Math.max(this.#at, at);
      const listed = listingText(component, vocabulary);
      return { source, document, listed, position: this.#position, at: this.#at, isUpdate: false };
    });
    const { statements, rows } = await sealedRows(said, withoutPause());
    for (const [i, { source, document, position, seal }] of statements.entries()) {
      const { of, authority, component } = some[i] as StatementRecord;
      this.#remember({ source, document, record: { of, authority } });
      this.#setSource({ ...this.#source(source), position });
      const key = hashRowKey(source, of ?? '');
      const { hash, seals } = this.#hashes.get(key) ?? { hash: LtHash.empty(), seals: 0 };
      hash.add(statementElement(document, component));
      this.#hashes.set(key, { source, of: of ?? '', hash, seals: seals + seal });
    }
    const put = some.flatMap(({ source, document, component }) =>
      storedQuads(component, vocabulary, DataFactory.namedNode(graphName(source, document))),
    );
    await this.#write(rows, put);
  }

  #remember(row: DocumentRow): void {
    this.#documents.set(documentRowKey(documentKey(row)), row);
    this.#setSource(this.#source(row.source));
  }

  #source(source: Source): SourceRow {
    const known = this.#sources.get(sourceRowKey(source));
    return known ?? { source, record: { failures: 0 }, rank: this.#precedence.rank(source), position: 0 };
  }

  #setSource(row: SourceRow): void {
    this.#sources.set(sourceRowKey(row.source), row);
  }

  async #write(rows: readonly Row[], put: readonly Quad[] = []): Promise<void> {
    await this.#keep.exclusively(async () => ({ rows, quads: { put }, result: undefined }));
  }
}
