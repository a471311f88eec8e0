import { DataFactory } from 'n3';
import { documentKey } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import { statementElement } from '../component/statement-digest.js';
import { createVocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { StoredPin } from '../core/pins.js';
import { type Precedence, precedenceOf } from '../core/precedence.js';
import type { Row } from '../keep/keep.js';
import { LtHash } from '../lib/lt-hash.js';
import { withoutPause } from '../lib/pace.js';
import {
  type CommitContents,
  type DocumentRow,
  type HashRow,
  NO_CONTENTS,
  type Serving,
  type SourceRow,
} from '../registry/commit-contents.js';
import { graphName } from '../registry/graph-name.js';
import { documentRowKey, hashRowKey, pinRowKey, sourceRowKey } from '../registry/row-keys.js';
import { otherRows, SCHEMA, sealedRows } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/**
 * What a file holds of a registry, as the rows and quads that a node would have written: statements keep their order and their times.
 * They make a registry with what `end` returns, and nobody may look before.
 */
export class RestoredRegistry {
  readonly #serving: Serving;
  readonly #precedence: Precedence;
  readonly #sources = new Map<string, SourceRow>();
  readonly #documents = new Map<string, DocumentRow>();
  readonly #hashes = new Map<string, HashRow>();
  readonly #pins = new Map<string, StoredPin>();
  #network: CommitContents['network'];
  #position = 0;
  #at = 0;

  /** `serving`: how a node has shown the registry. */
  constructor(serving: Serving) {
    this.#serving = serving;
    this.#precedence = precedenceOf(serving.order);
  }

  async statements(some: readonly StatementRecord[]) {
    const vocabulary = createVocabulary(this.#serving.namespace);
    const said = some.map(({ source, document, component, at }) => {
      this.#position += 1;
      this.#at = Math.max(this.#at, at);
      const listed = listingText(component, vocabulary);
      return { source, document, listed, position: this.#position, at: this.#at, isUpdate: false };
    });
    const { statements, rows } = await sealedRows(said, withoutPause());
    for (const [i, { source, document, position, seal }] of statements.entries()) {
      const { of = '', authority, component } = some[i] as StatementRecord;
      this.#remember({ source, document, record: { of: of || undefined, authority } });
      const known = this.#source(source);
      this.#set({ ...known, position, seals: known.seals + seal });
      const key = hashRowKey(source, of);
      const { hash } = this.#hashes.get(key) ?? { hash: LtHash.empty() };
      hash.add(statementElement(document, component));
      this.#hashes.set(key, { source, of, hash });
    }
    const put = some.flatMap(({ source, document, component }) =>
      storedQuads(component, vocabulary, DataFactory.namedNode(graphName(source, document))),
    );
    return { rows, put };
  }

  add(record: ExportRecord): void {
    if (record.type === 'document')
      this.#remember({ source: record.source, document: record.url, record: record.record });
    else if (record.type === 'source') this.#set({ ...this.#source(record.source), record: record.record });
    else if (record.type === 'pin') this.#pins.set(pinRowKey(record.pin), record.pin);
    else if (record.type === 'network') this.#network = { peers: record.peers, storage: record.storage };
  }

  /** @param now when the answers to this begin to be right: whoever has read older ones must not be told that they still are */
  end(now: number): readonly Row[] {
    const revision = { number: 1, since: now };
    const standing = { position: this.#position, at: this.#at, floor: 0, purged: 0 };
    return otherRows({
      ...NO_CONTENTS,
      ...{ sources: this.#sources, documents: this.#documents, hashes: this.#hashes, pins: this.#pins },
      ...{ network: this.#network, serving: this.#serving },
      meta: { schema: SCHEMA, revision, networkRevision: revision, ...standing },
    });
  }

  #remember(row: DocumentRow): void {
    this.#documents.set(documentRowKey(documentKey(row)), row);
    this.#set(this.#source(row.source));
  }

  #source(source: Source): SourceRow {
    const none = { source, record: { failures: 0 }, position: 0, seals: 0 };
    return this.#sources.get(sourceRowKey(source)) ?? { ...none, rank: this.#precedence.rank(source) };
  }

  #set(row: SourceRow): void {
    this.#sources.set(sourceRowKey(row.source), row);
  }
}
