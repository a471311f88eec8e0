import { type Source, sourceKey } from '../component/source.js';
import { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Row } from '../keep/keep.js';
import { MOST_AT_ONCE } from '../registry/difference.js';
import { byOf, type HeldSource } from '../registry/held.js';
import type { OpenedRegistry } from '../registry/open-registry.js';
import { pinRowKey } from '../registry/row-keys.js';
import { documentRow, rowOf } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/** An empty registry into which the records of a file are written as they come. Statements keep their order and their times. */
export class RestoredRegistry {
  readonly #open: OpenedRegistry;
  #statements: StatementRecord[] = [];
  /** The latest of their dates: no change of a feed is older than the one before it. */
  #at = 0;
  /** Of sources, by `sourceKey`; undefined where a document alone tells of one. */
  readonly #records = new Map<string, { readonly source: Source; readonly record?: SourceRecord }>();
  /** Of documents and pins. They come last: what is remembered of documents counts more than what their statements tell. */
  readonly #rows: Row[] = [];

  constructor(open: OpenedRegistry) {
    this.#open = open;
  }

  async add(record: ExportRecord): Promise<void> {
    if (record.type === 'statement') {
      this.#statements.push(record);
      if (this.#statements.length === MOST_AT_ONCE) await this.#store();
    } else if (record.type === 'document') {
      const { source, url } = record;
      this.#records.set(sourceKey(source), { source });
      this.#rows.push(documentRow(source, url, record.record));
    } else if (record.type === 'source') this.#records.set(sourceKey(record.source), record);
    else if (record.type === 'pin') this.#rows.push(rowOf('pin', pinRowKey(record.pin), record.pin));
    else if (record.type === 'network') {
      const { peers, storage } = record;
      await this.#open.registry.setNetwork({ peers, storage });
    }
  }

  /** Writes the rest, and closes it. */
  async end(): Promise<void> {
    const { registry, parts } = this.#open;
    await this.#store();
    await parts.writer.write((draft) => {
      for (const row of this.#rows) draft.rows.push(row);
      for (const { source, record } of this.#records.values()) {
        const held = parts.data.now.held.current(source);
        draft.source(held, record ?? held.record);
      }
    });
    await registry.close();
  }

  #store(): Promise<void> {
    const { data, writer } = this.#open.parts;
    const some = this.#statements;
    this.#statements = [];
    return writer.write((draft) => {
      const changed = new Map<string, { readonly held: HeldSource; readonly hashes: HashChange }>();
      for (const { source, document, component, at, of, authority } of some) {
        this.#at = Math.max(this.#at, at);
        draft.at = this.#at;
        draft.place({ source, document, uri: component.uri, kind: 'added', after: component });
        draft.rows.push(documentRow(source, document, { of, authority }));
        const held = data.now.held.current(source);
        const one = changed.get(sourceKey(source)) ?? { held, hashes: new HashChange(byOf(held.hashes)) };
        changed.set(sourceKey(source), one);
        one.hashes.add(of ?? '', document, component);
      }
      for (const { held, hashes } of changed.values()) draft.source(held, held.record, hashes);
    });
  }
}
