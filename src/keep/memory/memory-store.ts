import type { NamedNode, Quad } from '@rdfjs/types';
import type { CheckedWrites } from '../checked-writes.js';
import { compareUtf8 } from '../compare-utf8.js';
import type { Head, RowBatch, StoredRow } from '../keep.js';
import type { LocalStore } from '../local/local-service.js';
import { sealOf } from '../seal.js';
import { termsText } from '../terms-text.js';

/** Rows or quads that are read at a time. */
const BATCH = 1_000;

/** What one service has stored in memory. */
export class MemoryStore implements LocalStore {
  readonly trouble = undefined;
  #head: Head;
  readonly #tables: Map<string, Map<string, StoredRow>>;
  readonly #graphs: Map<string, Map<string, Quad>>;

  constructor(
    head: Head,
    tables: ReadonlyMap<string, ReadonlyMap<string, StoredRow>> = new Map(),
    graphs: ReadonlyMap<string, ReadonlyMap<string, Quad>> = new Map(),
  ) {
    this.#head = head;
    this.#tables = new Map([...tables].map(([name, rows]) => [name, new Map(rows)]));
    this.#graphs = new Map([...graphs].map(([name, quads]) => [name, new Map(quads)]));
  }

  /** A store with the same content, which changes no more with this one. */
  copy(): MemoryStore {
    return new MemoryStore(this.#head, this.#tables, this.#graphs);
  }

  async write({ rows, remove, put }: CheckedWrites, head: Head): Promise<void> {
    for (const { table, key, value } of rows) {
      if (value === undefined) this.#tables.get(table)?.delete(key);
      else inside(this.#tables, table).set(key, { table, key, value, seal: sealOf(table, key, value) });
    }
    for (const quad of remove) this.#graphs.get(graphText(quad.graph))?.delete(termsText(quad));
    for (const quad of put) inside(this.#graphs, graphText(quad.graph)).set(termsText(quad), quad);
    this.#head = head;
  }

  async *rows(tables: readonly string[], prefix = ''): AsyncGenerator<RowBatch> {
    const head = this.#head;
    const found = tables.map((table) => {
      const rows = [...(this.#tables.get(table)?.values() ?? [])].filter(({ key }) => key.startsWith(prefix));
      return { table, rows: rows.sort((one, other) => compareUtf8(one.key, other.key)) };
    });
    for (const { table, rows } of found)
      for (let at = 0; at === 0 || at < rows.length; at += BATCH)
        yield { head, table, rows: rows.slice(at, at + BATCH) };
  }

  async get(table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    const rows = this.#tables.get(table);
    return new Map(
      keys.flatMap((key) => {
        const row = rows?.get(key);
        return row ? [[key, row]] : [];
      }),
    );
  }

  async *quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    const found = graphs.map((graph) => {
      const quads = [...(this.#graphs.get(graphText(graph)) ?? [])];
      return quads.sort(([one], [other]) => compareUtf8(one, other)).map(([, quad]) => quad);
    });
    for (const quads of found)
      for (let at = 0; at < quads.length; at += BATCH) yield quads.slice(at, at + BATCH);
  }
}

function graphText({ termType, value }: Quad['graph']): string {
  return `${termType} ${value}`;
}

function inside<T>(maps: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const map = maps.get(name) ?? new Map<string, T>();
  maps.set(name, map);
  return map;
}
