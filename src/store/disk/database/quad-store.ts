import type { Quad } from '@rdfjs/types';
import type { AbstractIterator, AbstractSublevel } from 'abstract-level';
import type { ClassicLevel } from 'classic-level';
import type { Pace } from '../../../lib/pace.js';
import type { StorageTrouble } from '../../registry-store.js';
import { refuseUnstorable } from '../../storable-quad.js';
import { DamagedData, readFault } from './damage.js';
import { type Level, locationOf } from './level.js';
import { QuadCursor } from './quad-cursor.js';
import { quadKey, rangeOf, readQuad } from './quad-keys.js';
import { Recovery, type RecoveryOptions } from './recovery.js';
import { unseal } from './seal.js';
import { StoreBatch } from './store-batch.js';

/** Quads or rows that are put into a batch, and quads that are read, between two chances for other work. */
const SLICE = 50;
/** Rows of texts that are read at a time, at most; and bytes, which are 16 KB otherwise and take three times as long. */
const SCANNED = 1000;
const SCANNED_BYTES = 1_000_000;

const TEXTS = { keyEncoding: 'utf8', valueEncoding: 'utf8' };
type Scan = AbstractIterator<Level, string, string> | AbstractIterator<Table, string, string>;
type Table = AbstractSublevel<Level, string | Buffer | Uint8Array, string, string>;

/** Bookkeeping that is kept beside the quads: values under keys, in named tables. */
export interface Row {
  readonly table: string;
  readonly key: string;
  /** What JSON can say. With neither this nor a text the row goes. */
  readonly value?: unknown;
  /** In place of a value: a text as it is. */
  readonly text?: string | undefined;
}

export interface QuadChange {
  readonly remove?: readonly Quad[];
  readonly add?: readonly Quad[];
  readonly rows?: readonly Row[];
  /** Wait until it is on disk (fsync)? */
  readonly durable: boolean;
}

/** A change that has been put together but not written yet. */
export interface PreparedChange {
  /** Writes everything, with these rows, as one atomic batch. */
  write(rows?: readonly Row[]): Promise<void>;
  /** Gives it up. */
  discard(): Promise<void>;
}

export interface StoreOptions extends RecoveryOptions {
  readonly pace: Pace;
}

/** Quads, as keys in the form of quadstore, and rows, in one LevelDB database. */
export class QuadStore {
  readonly #level: Level;
  readonly #pace: Pace;
  readonly #recovery: Recovery;
  readonly #tables = new Map<string, Table>();
  #tablesOf = 0;

  private constructor(level: Level, { clock, log, pace }: StoreOptions) {
    this.#level = level;
    this.#pace = pace;
    this.#recovery = new Recovery(level, { clock, log });
  }

  /** Takes over an open database; `close` closes it. @throws DamagedData */
  static async open(level: Level, options: StoreOptions): Promise<QuadStore> {
    const store = new QuadStore(level, options);
    try {
      await level.open();
      await store.#recovery.open();
    } catch (error) {
      await level.close();
      throw readFault(store.place, error);
    }
    return store;
  }

  /** Why nothing can be written at present; reading goes on, and writing is tried again from time to time. */
  get trouble(): StorageTrouble | undefined {
    return this.#recovery.trouble;
  }

  /** Where it is on disk, for messages. */
  get place(): string {
    return this.directory ?? 'memory';
  }

  /** Where it is on disk; undefined for one in memory. */
  get directory(): string | undefined {
    return locationOf(this.#level);
  }

  /**
   * Puts a change together, removals before additions.
   * @throws TypeError for terms that would be stored as something else; StorageFailure
   */
  async prepare(change: QuadChange): Promise<PreparedChange> {
    for (const quad of change.add ?? []) refuseUnstorable(quad);
    const { generation } = this.#recovery;
    const batch = new StoreBatch(this.#level);
    const each = async <T>(items: readonly T[] = [], put: (item: T) => void) => {
      const breathe = this.#pace();
      for (const [i, item] of items.entries()) {
        put(item);
        if (i % SLICE === 0) await breathe();
      }
    };
    const putRows = (rows?: readonly Row[]) => each(rows, (row) => this.#put(batch, row));
    try {
      await each(change.remove, (quad) => batch.del(quadKey(quad)));
      // Quads are all key.
      await each(change.add, (quad) => batch.put(quadKey(quad), ''));
      await putRows(change.rows);
    } catch (error) {
      await batch.close();
      throw error;
    }
    return {
      write: async (rows) => {
        await putRows(rows).catch(async (error) => {
          await batch.close();
          throw error;
        });
        await this.#recovery.write(batch, generation, change.durable);
      },
      discard: () => batch.close(),
    };
  }

  async write(change: QuadChange): Promise<void> {
    const prepared = await this.prepare(change);
    await prepared.write();
  }

  /**
   * The quads of a graph, or all of them, in lists, ordered by graph and subject. Breaking off the loop frees the snapshot.
   * @throws DamagedData, and what the database says when a read fails
   */
  async *read(graph?: string): AsyncGenerator<Quad[]> {
    const { start, end } = rangeOf(graph);
    const options = { gte: start, lt: end, highWaterMarkBytes: SCANNED_BYTES };
    for await (const entries of this.#lists(this.#level.iterator(options as object))) {
      for (let at = 0; at < entries.length; at += SLICE)
        yield entries.slice(at, at + SLICE).map((entry) => readQuad(this.place, entry));
    }
  }

  /** Walks through the quads of one graph; to be closed. */
  cursor(graph: string): QuadCursor {
    return new QuadCursor(this.#level, graph);
  }

  /** The rows of a table whose keys begin so, ordered by key. @throws DamagedData */
  async *rows<T>(table: string, prefix = ''): AsyncGenerator<[string, T]> {
    const range = prefix === '' ? {} : { gte: prefix, lt: `${prefix}\uffff` };
    const iterator = this.#table(table).iterator(range);
    try {
      for (let row = await iterator.next(); row; row = await iterator.next()) {
        yield [row[0], JSON.parse(this.#unsealed(table, row[0], row[1])) as T];
      }
    } catch (error) {
      throw readFault(this.place, error);
    } finally {
      await iterator.close();
    }
  }

  /** The rows of a table of texts behind a key, ordered by the UTF-8 form of their keys, in lists. @throws DamagedData */
  async *texts(table: string, after = ''): AsyncGenerator<[string, string][]> {
    const options = { highWaterMarkBytes: SCANNED_BYTES, gt: after };
    for await (const rows of this.#lists(this.#table(table).iterator<string, string>(options as object))) {
      for (const row of rows) row[1] = this.#unsealed(table, row[0], row[1]);
      yield rows;
    }
  }

  /** What an iterator reads, in lists; in the end it is closed. */
  async *#lists(iterator: Scan): AsyncGenerator<[string, string][]> {
    try {
      // The next list is read while its reader is busy with this one.
      let next = iterator.nextv(SCANNED);
      for (let entries = await next; entries.length > 0; entries = await next) {
        next = iterator.nextv(SCANNED);
        // Its reader hears of a failure, unless it breaks off before.
        next.catch(() => undefined);
        yield entries;
      }
    } catch (error) {
      throw readFault(this.place, error);
    } finally {
      await iterator.close();
    }
  }

  /** @throws DamagedData */
  async row<T>(table: string, key: string): Promise<T | undefined> {
    const text = await this.text(table, key);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** The text in a row of a table of texts. @throws DamagedData */
  async text(table: string, key: string): Promise<string | undefined> {
    const value = await this.#table(table)
      .get(key)
      .catch((error) => Promise.reject(readFault(this.place, error)));
    return value === undefined ? undefined : this.#unsealed(table, key, value);
  }

  /** Has the database give back the space of what was deleted from a table. Does nothing where there are no files. */
  async compact(table: string): Promise<void> {
    const level = this.#level as Level & Partial<Pick<ClassicLevel<string, string>, 'compactRange'>>;
    await level.compactRange?.(`!${table}!`, `!${table}"`);
  }

  async close(): Promise<void> {
    await this.#recovery.close(() => this.#level.close());
  }

  /** Key and value are encoded here: every operation of a batch looks alike, see `StoreBatch`. */
  #put(batch: StoreBatch, { table, key, value, text }: Row): void {
    const prefixed = prefixedKey(table, key);
    const written = text ?? JSON.stringify(value);
    if (written === undefined) batch.del(prefixed);
    else batch.put(prefixed, written);
  }

  #unsealed(table: string, key: string, value: string): string {
    const text = unseal(prefixedKey(table, key), value);
    if (text === undefined) {
      throw new DamagedData(
        this.place,
        `the row "${key}" of the table "${table}" does not match its checksum`,
      );
    }
    return text;
  }

  #table(name: string): Table {
    // Those of a database that has been opened anew stay closed.
    if (this.#tablesOf !== this.#recovery.generation) this.#tables.clear();
    this.#tablesOf = this.#recovery.generation;
    const table = this.#tables.get(name) ?? this.#level.sublevel<string, string>(name, TEXTS);
    this.#tables.set(name, table);
    return table;
  }
}

/** As abstract-level prefixes the keys of a sublevel. */
function prefixedKey(table: string, key: string): string {
  return `!${table}!${key}`;
}
