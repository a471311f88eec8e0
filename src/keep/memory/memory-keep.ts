import type { NamedNode, Quad } from '@rdfjs/types';
import type { Clock } from '../../lib/clock.js';
import { withoutPause } from '../../lib/pace.js';
import type { CheckedWrites } from '../checked-writes.js';
import { type Head, type Place, type RowBatch, SERVICES } from '../keep.js';
import { LocalService, type LocalServiceOptions, type LocalStore } from '../local-service.js';
import { quadRows, quadsInRows } from '../quad-rows.js';
import { type EngineOptions, firstHead, placeOf } from '../service-keep.js';
import { type StoredRow, toBeStored } from '../stored-row.js';

/** Rows that are read at a time. */
const BATCH = 1_000;
/** Commits that are remembered, for nodes that are behind. */
const REMEMBERED = 1_000;

type Table = ReadonlyMap<string, StoredRow>;

/** What one service has stored in memory. */
class MemoryStore implements LocalStore {
  #head: Head;
  readonly #tables: Map<string, Map<string, StoredRow>>;

  constructor(head: Head, tables: ReadonlyMap<string, Table> = new Map()) {
    this.#head = head;
    this.#tables = new Map([...tables].map(([name, rows]) => [name, new Map(rows)]));
  }

  copy(): MemoryStore {
    return new MemoryStore(this.#head, this.#tables);
  }

  async write(writes: CheckedWrites, head: Head): Promise<void> {
    for (const row of [...writes.rows, ...quadRows(writes)]) {
      const { table, key } = row;
      const rows = this.#tables.get(table) ?? new Map<string, StoredRow>();
      this.#tables.set(table, rows);
      const stored = toBeStored(row);
      if (stored) rows.set(key, stored);
      else rows.delete(key);
    }
    this.#head = head;
  }

  async *rows(tables: readonly string[], prefix = ''): AsyncGenerator<RowBatch> {
    const head = this.#head;
    const found = tables.map((table) => [table, inOrder(this.#tables.get(table), prefix)] as const);
    for (const [table, rows] of found)
      for (let at = 0; at === 0 || at < rows.length; at += BATCH)
        yield { head, table, rows: rows.slice(at, at + BATCH) };
  }

  async get(table: string, keys: readonly string[]): Promise<Table> {
    const rows = keys.flatMap((key) => this.#tables.get(table)?.get(key) ?? []);
    return new Map(rows.map((row) => [row.key, row]));
  }

  quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    return quadsInRows(this, graphs);
  }
}

/** The rows whose keys begin so, in the order of the UTF-8 bytes of their keys. */
function inOrder(table: Table = new Map(), prefix = ''): StoredRow[] {
  const rows = [...table.values()].filter(({ key }) => key.startsWith(prefix));
  const keyed = rows.map((row) => ({ row, bytes: Buffer.from(row.key) }));
  return keyed.sort((one, other) => Buffer.compare(one.bytes, other.bytes)).map(({ row }) => row);
}

type ServiceName = (typeof SERVICES)[number];
type Content = LocalService<MemoryStore>['content'];
/** What the services had stored at some moment. */
type MemoryBackup = ReadonlyMap<ServiceName, Content>;

/** The same, which changes no more with what is copied. */
function copyOf({ store, steps }: Content): Content {
  return { store: store.copy(), steps };
}

type MemoryDataOptions = Pick<LocalServiceOptions, 'clock'> & Pick<EngineOptions, 'unique'>;

/**
 * What nodes share that run in one process, as others share a database: for the laboratory, rehearsals and tests. Nothing of it
 * outlives the process. `clock` is the time of the database.
 */
export class MemoryData {
  readonly options: MemoryDataOptions;
  readonly #services: ReadonlyMap<ServiceName, LocalService<MemoryStore>>;

  constructor(options: MemoryDataOptions) {
    this.options = options;
    const beginning = (head: Head) =>
      new LocalService(new MemoryStore(head), head, { ...options, remembered: REMEMBERED });
    this.#services = new Map(SERVICES.map((name) => [name, beginning(firstHead(options.unique))]));
  }

  service(name: ServiceName): LocalService<MemoryStore> {
    return this.#services.get(name) as LocalService<MemoryStore>;
  }

  backup(): MemoryBackup {
    return new Map([...this.#services].map(([name, { content }]) => [name, copyOf(content)]));
  }

  /** Everything that has been committed since the backup is lost, as when the backup of a database is restored. */
  restore(backup: MemoryBackup): void {
    for (const [name, content] of backup) this.service(name).content = copyOf(content);
  }
}

interface MemoryOptions {
  /** Of the node: its leases are renewed by it. */
  readonly clock: Clock;
  /** Do several nodes have the data open? False when absent. */
  readonly isShared?: boolean;
}

/** Opens the data for one node. */
export function openMemory(data: MemoryData, { clock, isShared = false }: MemoryOptions): Place {
  const { unique } = data.options;
  return placeOf({
    ...{ isShared, isQuadstore: true, clock, unique, pace: withoutPause },
    engine: async (service) => data.service(service),
    close: async () => undefined,
  });
}
