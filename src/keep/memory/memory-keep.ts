import type { NamedNode, Quad } from '@rdfjs/types';
import type { Clock } from '../../lib/clock.js';
import { withoutPause } from '../../lib/pace.js';
import type { CheckedWrites } from '../checked-writes.js';
import type { Head, Place, RowBatch } from '../keep.js';
import { LocalService, type LocalServiceOptions, type LocalStore, type Step } from '../local-service.js';
import { quadRows, quadsInRows } from '../quad-rows.js';
import { firstHead, placeOf } from '../service-keep.js';
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

  /** A store with the same content, which changes no more with this one. */
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
    const found = tables.map((table) => {
      const rows = [...(this.#tables.get(table)?.values() ?? [])].filter(({ key }) => key.startsWith(prefix));
      const keyed = rows.map((row) => ({ row, bytes: Buffer.from(row.key) }));
      keyed.sort((one, other) => Buffer.compare(one.bytes, other.bytes));
      return { table, rows: keyed.map(({ row }) => row) };
    });
    for (const { table, rows } of found)
      for (let at = 0; at === 0 || at < rows.length; at += BATCH)
        yield { head, table, rows: rows.slice(at, at + BATCH) };
  }

  async get(table: string, keys: readonly string[]): Promise<Table> {
    const rows = this.#tables.get(table);
    return new Map(
      keys.flatMap((key) => {
        const row = rows?.get(key);
        return row ? [[key, row]] : [];
      }),
    );
  }

  quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    return quadsInRows(this, graphs);
  }
}

interface ServiceBackup {
  readonly store: MemoryStore;
  readonly steps: readonly Step[];
}

/** What the services had stored at some moment. */
export type MemoryBackup = ReadonlyMap<string, ServiceBackup>;

export type MemoryDataOptions = Omit<LocalServiceOptions, 'pace' | 'remembered'>;

/**
 * What nodes share that run in one process, as others share a database: for the laboratory, rehearsals and tests. Nothing of it
 * outlives the process. `clock` is the time of the database.
 */
export class MemoryData {
  readonly options: MemoryDataOptions;
  readonly #services = new Map<string, { readonly service: LocalService; store: MemoryStore }>();

  constructor(options: MemoryDataOptions) {
    this.options = options;
  }

  service(name: string): LocalService {
    const known = this.#services.get(name);
    if (known) return known.service;
    const head = firstHead(this.options.unique);
    const store = new MemoryStore(head);
    const options = { ...this.options, remembered: REMEMBERED, pace: withoutPause };
    const service = new LocalService(store, head, options);
    this.#services.set(name, { service, store });
    return service;
  }

  backup(): MemoryBackup {
    const copies = [...this.#services].map(([name, { service, store }]): [string, ServiceBackup] => {
      return [name, { store: store.copy(), steps: service.steps }];
    });
    return new Map(copies);
  }

  /** Everything that has been committed since the backup is lost, as when the backup of a database is restored. */
  restore(backup: MemoryBackup): void {
    for (const name of backup.keys()) this.service(name);
    for (const [name, held] of this.#services) {
      const { store, steps } = backup.get(name) ?? this.#nothing();
      held.store = store.copy();
      held.service.reset(held.store, steps);
    }
  }

  #nothing(): ServiceBackup {
    const head = firstHead(this.options.unique);
    return { store: new MemoryStore(head), steps: [{ head, keys: [] }] };
  }
}

export interface MemoryOptions {
  /** Of the node: its leases are renewed by it. */
  readonly clock: Clock;
  /** Do several nodes have the data open? False when absent. */
  readonly isShared?: boolean;
}

/** Opens the data for one node. */
export function openMemory(data: MemoryData, { clock, isShared = false }: MemoryOptions): Place {
  const { unique } = data.options;
  return placeOf({
    ...{ isShared, clock, unique },
    engine: async (service) => data.service(service),
    close: async () => undefined,
  });
}
