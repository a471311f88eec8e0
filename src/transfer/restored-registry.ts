import { DataFactory } from 'n3';

import type { Source } from '../component/source.js';
import { statementElement } from '../component/statement-digest.js';
import { createVocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import { type Precedence, precedenceOf } from '../core/precedence.js';
import type { Row } from '../keep/keep.js';
import { LtHash } from '../lib/lt-hash.js';
import { graphName, partRowKey, sourceRowKey } from '../registry/row-keys.js';
import {
  documentRow,
  type HashRow,
  hashRow,
  metaRow,
  pinRow,
  SCHEMA,
  type Serving,
  type SourceRow,
  sourceRow,
  statementRow,
} from '../registry/rows.js';

import type { ExportRecord, StatementRecord } from './export-record.js';

/**
 * What a file holds of a registry, as the rows and quads that a node would have written: statements keep their order and their times.
 * They make a registry with what `end` returns, and nobody may look before.
 */
export class RestoredRegistry {
  readonly #serving: Serving;
  readonly #precedence: Precedence;
  readonly #sources = new Map<string, SourceRow>();
  readonly #hashes = new Map<string, HashRow>();
  /** Of documents, pins and lists, by their tables and keys: the last one counts. */
  readonly #rows = new Map<string, Row>();
  #position = 0;
  #at = 0;

  /** `serving`: how a node has shown the registry. */
  constructor(serving: Serving) {
    this.#serving = serving;
    this.#precedence = precedenceOf(serving.order);
  }

  statements(some: readonly StatementRecord[]) {
    const vocabulary = createVocabulary(this.#serving.namespace);
    const rows = some.map(({ source, document, component, at, of = '', authority }) => {
      this.#position += 1;
      this.#at = Math.max(this.#at, at);
      const listed = listingText(component, vocabulary);
      const place = { source, document, position: this.#position, at: this.#at };
      const row = statementRow({ ...place, listed, isUpdate: false });
      this.#put(documentRow(source, document, { of: of || undefined, authority }));
      const known = this.#source(source);
      this.#set({ ...known, position: this.#position, seals: known.seals + (row.seal | 0) });
      const key = partRowKey(source, of);
      const { hash } = this.#hashes.get(key) ?? { hash: LtHash.empty() };
      hash.add(statementElement(document, component));
      this.#hashes.set(key, { source, of, hash });
      return row;
    });
    const put = some.flatMap(({ source, document, component }) =>
      storedQuads(component, vocabulary, DataFactory.namedNode(graphName(source, document))),
    );
    return { rows, put };
  }

  add(record: ExportRecord): void {
    if (record.type === 'document') {
      this.#set(this.#source(record.source));
      this.#put(documentRow(record.source, record.url, record.record));
    } else if (record.type === 'source') this.#set({ ...this.#source(record.source), record: record.record });
    else if (record.type === 'pin') this.#put(pinRow(record.pin, record.pin));
    else if (record.type === 'network') {
      const { peers, storage } = record;
      this.#put(metaRow('network', { peers, storage }));
    }
  }

  /** @param now when the answers to this begin to be right: whoever has read older ones must not be told that they still are */
  end(now: number): readonly Row[] {
    const revision = { number: 1, since: now };
    const standing = { position: this.#position, at: this.#at, purged: 0 };
    return [
      ...this.#rows.values(),
      ...[...this.#sources.values()].map((row) => sourceRow(row.source, row)),
      ...[...this.#hashes.values()].map(({ source, of, hash }) => hashRow(source, of, hash)),
      metaRow('serving', this.#serving),
      metaRow('registry', { schema: SCHEMA, revision, networkRevision: revision, ...standing }),
    ];
  }

  #put(row: Row): void {
    this.#rows.set(`${row.table} ${row.key}`, row);
  }

  #source(source: Source): SourceRow {
    const none = { source, record: { failures: 0 }, position: 0, seals: 0 };
    return this.#sources.get(sourceRowKey(source)) ?? { ...none, rank: this.#precedence.rank(source) };
  }

  #set(row: SourceRow): void {
    this.#sources.set(sourceRowKey(row.source), row);
  }
}
