import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { compareText } from '../../src/lib/compare-text.js';
import {
  newerLayout,
  type OpenRecords,
  type RecordQuads,
  type RecordRow,
  type RecordStore,
} from '../../src/store/record-store.js';
import { refuseUnstorable } from '../../src/store/storable-quad.js';
import { UnusableData } from '../../src/store/unusable-data.js';

/** What a disk would hold. A write makes new maps, so that readers go on with the old ones. */
interface RecordData {
  readonly schema: number;
  /** By table, then by key; values as JSON, so that nobody holds what is stored. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By name of the graph, then by a text that is different for each quad. */
  readonly graphs: ReadonlyMap<string, ReadonlyMap<string, Quad>>;
}

/** Records without a disk, for tests. They can be opened again after `close`, as a directory can. */
export function createMemoryRecords(): { readonly open: OpenRecords } {
  const places = new Map<string, MemoryRecordStore>();
  return {
    async open(dataDir, { layout }) {
      const before = places.get(dataDir);
      if (before && !before.closed) throw new UnusableData(`The records of ${dataDir} are in use`);
      const data = before?.data ?? { schema: layout.schema, tables: new Map(), graphs: new Map() };
      if (data.schema > layout.schema) {
        throw new UnusableData(newerLayout(dataDir, data.schema, layout.schema));
      }
      const store = new MemoryRecordStore({ ...data, schema: layout.schema });
      places.set(dataDir, store);
      return store;
    },
  };
}

class MemoryRecordStore implements RecordStore {
  readonly trouble = undefined;
  closed = false;

  constructor(public data: RecordData) {}

  async *rows<T>(table: string): AsyncGenerator<readonly [string, T]> {
    this.#refuseClosed();
    const rows = [...(this.data.tables.get(table) ?? [])];
    rows.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    for (const [key, json] of rows) yield [key, JSON.parse(json) as T];
  }

  async *quads(graph: NamedNode): AsyncGenerator<readonly Quad[]> {
    this.#refuseClosed();
    const quads = [...(this.data.graphs.get(graph.value) ?? [])];
    if (quads.length === 0) return;
    yield quads.sort(([one], [other]) => compareText(one, other)).map(([, quad]) => quad);
  }

  async prepare({ remove = [], add = [] }: RecordQuads) {
    this.#refuseClosed();
    for (const quad of add) refuseUnstorable(quad);
    return {
      write: async (rows: readonly RecordRow[] = []) => {
        this.#refuseClosed();
        const { schema, tables, graphs } = this.data;
        this.data = { schema, tables: withRows(tables, rows), graphs: withQuads(graphs, { remove, add }) };
      },
      discard: async () => {
        // Nothing has been reserved.
      },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  #refuseClosed(): void {
    if (this.closed) throw new Error('The records are closed');
  }
}

function withRows(tables: RecordData['tables'], rows: readonly RecordRow[]): RecordData['tables'] {
  const { copy, writable } = copyOnWrite(tables);
  for (const { table, key, value } of rows) {
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined) writable(table).delete(key);
    else writable(table).set(key, json);
  }
  return copy;
}

function withQuads(
  graphs: RecordData['graphs'],
  { remove = [], add = [] }: RecordQuads,
): RecordData['graphs'] {
  const { copy, writable } = copyOnWrite(graphs);
  for (const quad of remove) writable(quad.graph.value).delete(textOf(quad));
  for (const quad of add) writable(quad.graph.value).set(textOf(quad), quad);
  return copy;
}

/** A copy of maps by name, of which only those are copied that are asked for as writable. */
function copyOnWrite<T>(maps: ReadonlyMap<string, ReadonlyMap<string, T>>) {
  const copy = new Map(maps);
  const copied = new Map<string, Map<string, T>>();
  const writable = (name: string): Map<string, T> => {
    const map = copied.get(name) ?? new Map(maps.get(name));
    copied.set(name, map);
    copy.set(name, map);
    return map;
  };
  return { copy, writable };
}

function textOf({ subject, predicate, object }: Quad): string {
  return JSON.stringify([subject, predicate, object].map(textsOf));
}

function textsOf(term: Term): readonly string[] {
  if (term.termType !== 'Literal') return [term.termType, term.value];
  return [term.termType, term.value, term.datatype.value, term.language];
}
