import type { NamedNode, Quad } from '@rdfjs/types';
import type { AbstractSnapshot } from 'abstract-level';
import { explain } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { CheckedWrites } from '../checked-writes.js';
import { KeepDamaged, KeepUnavailable } from '../faults.js';
import type { Head, RowBatch, Trouble } from '../keep.js';
import type { LocalStore } from '../local-service.js';
import type { StoredRow } from '../stored-row.js';
import { noteCommit } from './acknowledged.js';
import type { GatheredBatch } from './gathered-batch.js';
import { type Level, readFault } from './level-files.js';
import type { LevelWriter } from './level-writer.js';
import { addQuads, readQuads } from './quads.js';
import { HEAD, isRowKey, rowKey, sealed, tableRange, unsealed } from './row-keys.js';

/** Rows that are read at a time, of so many bytes at most. */
const READ = { rows: 1_000, bytes: 1_000_000 };
/** Rows are read as they lie. */
const BYTES = { valueEncoding: 'buffer' } as const;

export interface LevelStoreParts {
  readonly level: Level;
  readonly writer: LevelWriter;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
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
  async head(): Promise<Head | undefined> {
    const { level, service } = this.#parts;
    const stored = await this.#reading(level.get<string, Buffer>(rowKey({ service, ...HEAD }), BYTES));
    return stored === undefined ? undefined : this.#headIn(stored);
  }

  async write(writes: CheckedWrites, head: Head): Promise<void> {
    const { level, writer, service } = this.#parts;
    const batch = await writer.write((filling) => this.#fill(filling, writes, head));
    await noteCommit(level.location, service, head.version);
    if (!writes.erase) return;
    const replaced = writes.rows.filter(({ value }) => value !== undefined);
    await this.#erase([...batch.deleted, ...replaced.map((row) => rowKey({ service, ...row }))]);
  }

  async *rows(tables: readonly string[], prefix = ''): AsyncGenerator<RowBatch> {
    const { level, service } = this.#parts;
    // Throws at once while the database is being opened anew.
    const snapshot = await this.#reading((async () => level.snapshot())());
    try {
      const stored = await this.#reading(
        level.get<string, Buffer>(rowKey({ service, ...HEAD }), { ...BYTES, snapshot }),
      );
      const head = this.#headIn(stored ?? Buffer.alloc(0));
      for (const table of tables)
        for await (const rows of this.#rowsOf(table, prefix, snapshot)) yield { head, table, rows };
    } finally {
      await snapshot.close();
    }
  }

  async get(table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    const { level, service } = this.#parts;
    const stored = await this.#reading(
      level.getMany<string, Buffer>(
        keys.map((key) => rowKey({ service, table, key })),
        BYTES,
      ),
    );
    return new Map(
      keys.flatMap((key, i) => {
        const bytes = stored[i];
        return bytes === undefined ? [] : [[key, this.#unsealed(table, key, bytes)]];
      }),
    );
  }

  async *quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    try {
      yield* readQuads(this.#parts.level, graphs);
    } catch (error) {
      throw this.#fault(error);
    }
  }

  async #fill(batch: GatheredBatch, { rows, remove, put }: CheckedWrites, head: Head): Promise<void> {
    const { pace, service } = this.#parts;
    const breathe = pace();
    await addQuads(batch, { remove, put }, breathe);
    for (const { table, key, value } of [...rows, { ...HEAD, value: JSON.stringify(head) }]) {
      const name = rowKey({ service, table, key });
      if (value === undefined) batch.del(name);
      else batch.put(name, sealed(table, key, value));
      await breathe();
    }
  }

  /**
   * Has the former values of keys leave the files, too. LevelDB keeps them there until it merges the files, and leaves a file alone that
   * holds two values of a key, or a value and its deletion: so what is there now is written once more, above that file, and merged
   * again. Nothing else writes to the keys meanwhile.
   */
  async #erase(keys: readonly string[]): Promise<void> {
    const { level, writer, log } = this.#parts;
    // Quads and rows lie far apart.
    const ranges = [true, false].map((isRow) => keys.filter((key) => isRow === isRowKey(key)).sort());
    const merge = async () => {
      for (const [first, ...rest] of ranges)
        if (first !== undefined) await level.compactRange(first, `${rest.at(-1) ?? first}\uffff`);
    };
    try {
      await merge();
      const values = await level.getMany([...keys]);
      await writer.write(async (batch) => {
        for (const [i, key] of keys.entries()) {
          const value = values[i];
          value === undefined ? batch.del(key) : batch.put(key, value);
        }
      });
      await merge();
    } catch (error) {
      const fields = { directory: level.location, error: explain(error) };
      log.warn(fields, 'what was deleted or replaced may still be in the files of the database');
    }
  }

  /** At least one batch. */
  async *#rowsOf(table: string, prefix: string, snapshot: AbstractSnapshot): AsyncGenerator<StoredRow[]> {
    const { level, service } = this.#parts;
    const start = rowKey({ service, table, key: '' }).length;
    const options = { ...BYTES, ...tableRange(service, table, prefix), snapshot, fillCache: false };
    const iterator = level.iterator<string, Buffer>({ ...options, highWaterMarkBytes: READ.bytes } as object);
    try {
      let next = iterator.nextv(READ.rows);
      for (let isFirst = true; ; isFirst = false) {
        const entries = await this.#reading(next);
        // Read while the reader is busy with these; he hears of a failure, unless he breaks off before.
        if (entries.length > 0) next = iterator.nextv(READ.rows);
        next.catch(() => undefined);
        const rows: StoredRow[] = [];
        for (const [name, stored] of entries) {
          const key = name.slice(start);
          if (key.startsWith(prefix)) rows.push(this.#unsealed(table, key, stored));
        }
        if (rows.length > 0 || isFirst) yield rows;
        if (rows.length < entries.length || entries.length === 0) return;
      }
    } finally {
      await iterator.close();
    }
  }

  #headIn(stored: Buffer): Head {
    return JSON.parse(this.#unsealed(HEAD.table, HEAD.key, stored).value);
  }

  #unsealed(table: string, key: string, stored: Buffer): StoredRow {
    const row = unsealed(table, key, stored);
    if (row) return row;
    throw new KeepDamaged(
      this.#parts.level.location,
      `the row "${key}" of the table "${table}" is not what was written`,
    );
  }

  async #reading<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      throw this.#fault(error);
    }
  }

  #fault(error: unknown): unknown {
    const { code } = error as { code?: string };
    if (this.trouble && /^LEVEL_\w+_NOT_OPEN$/.test(code ?? ''))
      return new KeepUnavailable('The database is being opened anew; try again in a moment', {
        cause: error,
      });
    return readFault(this.#parts.level, error);
  }
}
