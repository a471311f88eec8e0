import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import { sourceKey } from '../../../component/source.js';
import { DamagedData } from '../database/damage.js';
import { graphName } from '../database/graph-name.js';
import type { QuadCursor } from '../database/quad-cursor.js';
import type { QuadStore } from '../database/quad-store.js';
import { readStatementKey, readStatementRow, type StatementPlace } from '../database/statement-row.js';
import type { DiskDocument } from '../disk-source.js';
import { createEntry, type Entry } from '../listing/entry.js';
import type { SharedTexts } from '../listing/shared-texts.js';
import type { PinTable } from '../pin-table.js';
import { type KeysOfStatement, storedMetadata } from './stored-metadata.js';

/** Statements that are read at the same time, where they are of different graphs. */
const TOGETHER = 100;

/** Graphs that are read side by side. */
const CURSORS = 64;

/** A row of the table of statements. */
export type StatementText = readonly [key: string, row: string];

/** A statement as the disk has it. */
export interface StoredStatement {
  readonly document: DiskDocument;
  readonly metadata: Metadata;
  readonly place: StatementPlace;
}

export interface StatementReaderParts {
  readonly store: QuadStore;
  readonly naming: Naming;
  /** By the numbers that stand for their graphs. */
  readonly documents: ReadonlyMap<number, DiskDocument>;
  readonly versions: SharedTexts;
  readonly pins: PinTable;
}

/** Puts statements together: a row tells where one stands, and its quads what it says. */
export class StatementReader {
  readonly #parts: StatementReaderParts;
  /** By the numbers of their graphs; those that were used last come last. */
  readonly #cursors = new Map<number, QuadCursor>();

  constructor(parts: StatementReaderParts) {
    this.#parts = parts;
  }

  /** The statements of these rows, in their order; without those of documents that are not known. @throws DamagedData */
  async *read(rows: readonly StatementText[]): AsyncGenerator<StoredStatement[]> {
    const someFrom = (at: number) => {
      const read = this.#some(rows.slice(at, at + TOGETHER));
      // Its reader hears of a failure, unless it breaks off before.
      read.catch(() => undefined);
      return read;
    };
    let next = someFrom(0);
    for (let at = TOGETHER; at < rows.length + TOGETHER; at += TOGETHER) {
      const statements = await next;
      // The next ones are read while their reader is busy with these.
      next = someFrom(at);
      yield statements;
    }
  }

  async close(): Promise<void> {
    await this.#keep(0);
  }

  /** The entry of a statement, which lies alone. */
  entry({ document, metadata, place: { position, ...stamp } }: StoredStatement): Entry {
    const { naming, versions } = this.#parts;
    const pin = this.pinOf({ document, metadata });
    const entry = createEntry(metadata, document.origin, naming, { versions, pin });
    entry.stamp(position, stamp);
    entry.date();
    return entry;
  }

  pinOf({ document, metadata }: Pick<StoredStatement, 'document' | 'metadata'>): Entry['pin'] {
    return this.#parts.pins.of(metadata, { ...document.origin.standing, metadata });
  }

  /** Graph by graph, at the same time. */
  async #some(rows: readonly StatementText[]): Promise<StoredStatement[]> {
    const byGraph = new Map<number, { readonly at: number; readonly uri: string; readonly row: string }[]>();
    for (const [at, [key, row]] of rows.entries()) {
      const { uri, graph } = readStatementKey(key);
      const others = byGraph.get(graph);
      if (others) others.push({ at, uri, row });
      else byGraph.set(graph, [{ at, uri, row }]);
    }
    const statements: (StoredStatement | undefined)[] = [];
    const readAll = [...byGraph].map(async ([graph, asked]) => {
      const document = this.#parts.documents.get(graph);
      if (!document) return;
      const cursor = this.#cursorOf(graph, document);
      for (const { at, uri, row } of asked) {
        const found = cursor.about(uri);
        // Nearly always it is at hand: whoever waits gives way to everything else.
        const keys = found instanceof Promise ? await found : found;
        const statement = { uri, keys, predicateAt: cursor.predicateAt(uri) };
        statements[at] = this.#statement(statement, row, document);
      }
    });
    await Promise.all(readAll);
    await this.#keep(CURSORS);
    return statements.filter((one) => one !== undefined);
  }

  #statement(said: KeysOfStatement, row: string, document: DiskDocument): StoredStatement {
    const { store, naming } = this.#parts;
    const { place, quads } = readStatementRow(row);
    const metadata = storedMetadata(said, naming.vocabulary);
    if (metadata && said.keys.length >= quads) return { document, metadata, place };
    const { source, document: url } = document.origin;
    throw new DamagedData(
      store.place,
      `of what ${url} says of ${said.uri}, ${said.keys.length} quads are there, and ${quads} have been stored (the ${sourceKey(source)})`,
    );
  }

  #cursorOf(graph: number, { origin }: DiskDocument): QuadCursor {
    const cursor =
      this.#cursors.get(graph) ?? this.#parts.store.cursor(graphName(origin.source, origin.document));
    this.#cursors.delete(graph);
    this.#cursors.set(graph, cursor);
    return cursor;
  }

  /** Closes all but so many cursors: each keeps quads that it has read ahead. */
  async #keep(count: number): Promise<void> {
    for (const [graph, cursor] of this.#cursors) {
      if (this.#cursors.size <= count) return;
      this.#cursors.delete(graph);
      await cursor.close();
    }
  }
}
