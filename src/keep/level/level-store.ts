import type { NamedNode, Quad } from '@rdfjs/types';
import type { AbstractSnapshot } from 'abstract-level';
import { StoreUnavailable } from '../../lib/faults.js';
import type { Pace } from '../../lib/pace.js';
import type { CheckedWrites } from '../checked-writes.js';
import { KeepDamaged } from '../faults.js';
import type { Head, RowBatch, Trouble } from '../keep.js';
import type { LocalStore } from '../local-service.js';
import { readAhead } from '../read-ahead.js';
import { type StoredRow, toBeStored } from '../stored-row.js';
import { noteCommit } from './acknowledged.js';
import { type Level, readFault } from './level-files.js';
import type { LevelWriter } from './level-writer.js';
import { addQuads, readQuads } from './quads.js';
import { HEAD, rowKey, sealed, tableRange, unsealed } from './row-keys.js';

/** Rows that are read at a time, of so many bytes at most. */
const READ = { rows: 1_000, bytes: 1_000_000 };
/** Rows are read as they lie. */
const BYTES = { valueEncoding: 'buffer' } as const;

interface LevelStoreParts {
  readonly level: Level;
  readonly writer: LevelWriter;
  readonly pace: Pace;
  readonly service: string;
}

/** What one service has stored in a LevelDB database, which others share. */
export class LevelStore implements LocalStore {
  readonly #parts: LevelStoreParts;

  constructor(parts: LevelStoreParts) {
    this.#parts = parts;
  }

  get trouble(): Trouble | undefined {
    return this.#parts.writer.trouble;
  }

  /** `undefined` where the service has never been here. @throws KeepDamaged */
  async head(snapshot?: AbstractSnapshot): Promise<Head | undefined> {
    const options = { ...BYTES, ...(snapshot && { snapshot }) };
    const reading = this.#parts.level.get<string, Buffer>(this.#keyOf(HEAD), options);
    const stored = await reading.catch(this.#refuse);
    return stored && JSON.parse(this.#row(HEAD.table, HEAD.key, stored).value);
  }

  async write(writes: CheckedWrites, head: Head): Promise<void> {
    const { writer, service, pace } = this.#parts;
    const breathe = pace();
    await writer.write(async (change) => {
      await addQuads(change, writes, breathe);
      for (const row of [...writes.rows, { ...HEAD, value: JSON.stringify(head) }]) {
        const stored = toBeStored(row);
        change(this.#keyOf(row), stored && sealed(stored));
        await breathe();
      }
    });
    await noteCommit(this.#parts.level.location, service, head.version);
  }

  async *rows(tables: readonly string[], prefix = ''): AsyncGenerator<RowBatch> {
    let snapshot: AbstractSnapshot | undefined;
    try {
      snapshot = this.#parts.level.snapshot();
      const head = await this.head(snapshot);
      if (!head)
        throw new KeepDamaged(this.#parts.level.location, `the head of the ${this.#parts.service} is gone`);
      for (const table of tables)
        for await (const rows of this.#rowsOf(table, prefix, snapshot)) yield { head, table, rows };
    } catch (error) {
      this.#refuse(error);
    } finally {
      await snapshot?.close();
    }
  }

  async get(table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    const names = keys.map((key) => this.#keyOf({ table, key }));
    const stored = await this.#parts.level.getMany<string, Buffer>(names, BYTES).catch(this.#refuse);
    const rows = stored.flatMap((bytes, i) => (bytes ? this.#row(table, keys[i] as string, bytes) : []));
    return new Map(rows.map((row) => [row.key, row]));
  }

  async *quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    try {
      yield* readQuads(this.#parts.level, graphs);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** At least one batch. */
  async *#rowsOf(table: string, prefix: string, snapshot: AbstractSnapshot): AsyncGenerator<StoredRow[]> {
    const start = this.#keyOf({ table, key: '' }).length;
    const range = tableRange(this.#parts.service, table, prefix);
    const options = { ...BYTES, ...range, snapshot, fillCache: false, highWaterMarkBytes: READ.bytes };
    const iterator = this.#parts.level.iterator<string, Buffer>(options as object);
    try {
      const rowOf = ([name, stored]: [string, Buffer]) =>
        name.startsWith(range.gte) ? this.#row(table, name.slice(start), stored) : undefined;
      yield* readAhead(() => iterator.nextv(READ.rows), 1, rowOf);
    } finally {
      await iterator.close();
    }
  }

  #keyOf({ table, key }: { readonly table: string; readonly key: string }): string {
    return rowKey({ service: this.#parts.service, table, key });
  }

  /** @throws KeepDamaged */
  #row(table: string, key: string, stored: Buffer): StoredRow {
    const row = unsealed(table, key, stored);
    if (row) return row;
    throw new KeepDamaged(
      this.#parts.level.location,
      `the row "${key}" of the table "${table}" is not what was written`,
    );
  }

  /** Throws what an error of a read means. */
  readonly #refuse = (cause: unknown): never => {
    const { code } = cause as { code?: string };
    if (this.trouble && /^LEVEL_\w+_NOT_OPEN$/.test(code ?? ''))
      throw new StoreUnavailable('The database is being opened anew; try again in a moment', { cause });
    throw readFault(this.#parts.level, cause);
  };
}
