import type { NamedNode, Quad } from '@rdfjs/types';
import type { Clock } from '../../../lib/clock.js';
import { KeyedMutex } from '../../../lib/keyed-mutex.js';
import type {
  PreparedRecords,
  RecordQuads,
  RecordRow,
  RecordStore,
  RecordStoreOptions,
  SharedRecords,
} from '../../record-store.js';
import { refuseUnstorable } from '../../storable-quad.js';
import { unusableDatabase } from '../connection/advice.js';
import type { Database } from '../connection/database.js';
import type { Session } from '../connection/session.js';
import { openDatabase, type PostgresStoreOptions } from '../open-database.js';
import { makeTables } from '../schema/make-tables.js';
import { RECORD_LAYOUT } from '../schema/record-layout.js';
import * as tables from './record-tables.js';

/** How often a node looks what others have written, in ms. */
const LOOK_INTERVAL = 300;

/**
 * Opens the records in a database, and makes the tables if need be. Other nodes may use them at the same time.
 * @throws UnusableData for an address that cannot be read, a newer schema or a newer layout
 */
export async function openPostgresRecords(
  options: PostgresStoreOptions,
  { layout }: Pick<RecordStoreOptions, 'layout'>,
): Promise<RecordStore> {
  const database = await openDatabase(options);
  try {
    await makeTables(database, 'connection', RECORD_LAYOUT);
    await database.write((session) => tables.checkLayout(session, database.described, layout.schema));
    return new PostgresRecordStore(database, options.clock, await database.read(tables.readHead));
  } catch (error) {
    await database.close();
    throw unusableDatabase(database.described, error);
  }
}

class PostgresRecordStore implements RecordStore, SharedRecords {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #looking: Promise<void>;
  readonly #mutex = new KeyedMutex();
  #listener: Parameters<SharedRecords['watch']>[0] = () => undefined;
  /** All that was written up to this is known here. */
  #known: tables.RecordHead;
  /** Of the exclusive change under way: what is written meanwhile belongs to it. */
  #session: { readonly session: Session; head: tables.RecordHead } | undefined;

  constructor(database: Database, clock: Clock, known: tables.RecordHead) {
    this.#database = database;
    this.#clock = clock;
    this.#known = known;
    this.#looking = this.#look();
  }

  get trouble() {
    return this.#database.trouble;
  }

  get shared(): SharedRecords {
    return this;
  }

  async *rows<T>(table: string): AsyncGenerator<readonly [string, T]> {
    yield* await this.#database.read((session) => tables.tableRows<T>(session, table));
  }

  async *quads(graph: NamedNode): AsyncGenerator<readonly Quad[]> {
    const quads = await this.#database.read((session) => tables.quadsOf(session, graph));
    if (quads.length > 0) yield quads;
  }

  async prepare(quads: RecordQuads): Promise<PreparedRecords> {
    this.#closing.signal.throwIfAborted();
    for (const quad of quads.add ?? []) refuseUnstorable(quad);
    return {
      write: (rows = []) => this.#write(quads, rows),
      discard: async () => {
        // Nothing has been reserved.
      },
    };
  }

  watch(listener: Parameters<SharedRecords['watch']>[0]): void {
    this.#listener = listener;
  }

  exclusively<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run('', () => this.#exclusively(task));
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new Error('The records are closed'));
    if (!this.trouble) await this.#looking;
    await this.#database.close();
  }

  async #exclusively<T>(task: () => Promise<T>): Promise<T> {
    try {
      const { result, head } = await this.#database.write(async (session) => {
        const head = await tables.lockHead(session);
        await this.#catchUp(session, head);
        this.#session = { session, head };
        const result = await task();
        return { result, head: this.#session.head };
      });
      this.#known = head;
      return result;
    } finally {
      this.#session = undefined;
    }
  }

  async #write(quads: RecordQuads, rows: readonly RecordRow[]): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const current = this.#session;
    if (!current) return this.exclusively(() => this.#write(quads, rows));
    current.head = tables.nextHead(current.head);
    await tables.writeQuads(current.session, quads);
    await tables.writeRows(current.session, current.head, rows);
  }

  /** Tells of what others have written. */
  async #catchUp(session: Session, head: tables.RecordHead): Promise<void> {
    if (tables.isSameHead(head, this.#known)) return;
    const changes = await tables.changesSince(session, this.#known, head);
    this.#listener(changes ?? (await tables.allRows(session)), changes === undefined);
    this.#known = head;
  }

  async #look(): Promise<void> {
    const { signal } = this.#closing;
    const pause = () =>
      this.#clock.sleep(LOOK_INTERVAL, signal).then(
        () => true,
        () => false,
      );
    while (await pause()) {
      // The database notes and logs its troubles; the next look may find it again.
      await this.#lookOnce().catch(() => undefined);
    }
  }

  /** Also during a change, which may wait for a server that has fallen silent. */
  async #lookOnce(): Promise<void> {
    if (tables.isSameHead(await this.#database.look(tables.readHead), this.#known)) return;
    await this.#mutex.run('', () =>
      this.#database.readConsistently(async (session) => {
        await this.#catchUp(session, await tables.readHead(session));
      }),
    );
  }
}
