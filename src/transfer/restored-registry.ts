import { DataFactory } from 'n3';
import { type Source, sourceKey } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { StoredPin } from '../core/pins.js';
import { precedenceOf } from '../core/precedence.js';
import { HashChange, NO_HASHES } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Row } from '../keep/keep.js';
import { withoutPause } from '../lib/pace.js';
import { type CommitContents, NO_CONTENTS, type Serving } from '../registry/commit-contents.js';
import { graphName } from '../registry/graph-name.js';
import { Held } from '../registry/held.js';
import { documentRows, sourceRows } from '../registry/prepared-commit.js';
import { pinRowKey } from '../registry/row-keys.js';
import { otherRows, SCHEMA, sealedRows } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

interface RestoredSource {
  readonly source: Source;
  readonly documents: Map<string, DocumentRecord>;
  readonly hashes: HashChange;
  record: SourceRecord;
  position: number;
  seals: number;
}

/**
 * What a file holds of a registry, as the rows and quads that a node would have written: statements keep their order and their times.
 * They make a registry with what `end` returns, and nobody may look before.
 */
export class RestoredRegistry {
  readonly #serving: Serving;
  readonly #sources = new Map<string, RestoredSource>();
  readonly #pins = new Map<string, StoredPin>();
  #network: CommitContents['network'];
  #position = 0;
  #at = 0;

  /** `serving`: how a node has shown the registry. */
  constructor(serving: Serving) {
    this.#serving = serving;
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
      const restored = this.#source(source);
      restored.documents.set(document, { of: of || undefined, authority });
      restored.hashes.add(of, document, component);
      restored.position = position;
      restored.seals += seal;
    }
    const put = some.flatMap(({ source, document, component }) =>
      storedQuads(component, vocabulary, DataFactory.namedNode(graphName(source, document))),
    );
    return { rows, put };
  }

  add(record: ExportRecord): void {
    if (record.type === 'document') this.#source(record.source).documents.set(record.url, record.record);
    else if (record.type === 'source') this.#source(record.source).record = record.record;
    else if (record.type === 'pin') this.#pins.set(pinRowKey(record.pin), record.pin);
    else if (record.type === 'network') this.#network = { peers: record.peers, storage: record.storage };
  }

  /** @param now when the answers to this begin to be right: whoever has read older ones must not be told that they still are */
  end(now: number): readonly Row[] {
    const revision = { number: 1, since: now };
    const standing = { position: this.#position, at: this.#at, floor: 0, purged: 0 };
    const held = new Held(precedenceOf(this.#serving.order));
    const ofSources = [...this.#sources.values()].flatMap(({ source, documents, seals, position, ...one }) =>
      otherRows({
        ...NO_CONTENTS,
        ...sourceRows({ ...one, held: held.current(source) }, seals, position),
        documents: documentRows(source, documents),
      }),
    );
    const others = otherRows({
      ...{ ...NO_CONTENTS, pins: this.#pins, network: this.#network, serving: this.#serving },
      meta: { schema: SCHEMA, revision, networkRevision: revision, ...standing },
    });
    return [...ofSources, ...others];
  }

  #source(source: Source): RestoredSource {
    const known = this.#sources.get(sourceKey(source));
    if (known) return known;
    const record = { failures: 0 };
    const made = {
      source,
      record,
      documents: new Map(),
      hashes: new HashChange(NO_HASHES),
      position: 0,
      seals: 0,
    };
    this.#sources.set(sourceKey(source), made);
    return made;
  }
}
