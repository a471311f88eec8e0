import type { NamedNode, Quad } from '@rdfjs/types';
import PQueue from 'p-queue';
import { readDatabaseAddress } from '../../config/database-address.js';
import { explain } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from '../checked-writes.js';
import { HeadUnknown, KeepUnavailable, KeepUnusable, LeaseLost } from '../faults.js';
import type { Decide, Head, Keep, Lease, Place, Row, RowBatch, TailPart, Writes } from '../keep.js';
import { quadRows, quadsInRows } from '../quad-rows.js';
import { type Engine, type EngineOptions, firstHead, placeOf } from '../service-keep.js';
import { Database, type Query, type Work } from './database.js';
import { Hosts } from './hosts.js';
import { prepareTables } from './schema.js';
import { ServiceTables } from './service-tables.js';

export interface PostgresOptions extends EngineOptions {
  /** Where the database is; it may name several hosts and hold a password. */
  readonly url: string;
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
  readonly random: () => number;
  readonly log: LogTo<'info' | 'warn'>;
  /** How long is tried again what failed, in ms; 3 s when absent. */
  readonly patienceMs?: number;
  readonly pace: Pace;
}

/** Connections that whoever reads all rows leaves to commits, looks and leases; and as few readers as there must be room for. */
const LEFT = 2;
const FEWEST = LEFT + 2;
/** When it is looked whether others have committed: after a look that fails, the next one comes soon. */
const LOOKING = { patienceMs: 0, silenceMs: 4_000 };

/** Opens a database, and makes its tables when there are none. Nodes may share it. @throws KeepUnusable */
export async function openPostgresPlace(options: PostgresOptions): Promise<Place> {
  const { url, patienceMs = 3_000, unique } = options;
  const address = readDatabaseAddress(url);
  if (!address)
    throw new KeepUnusable(
      'REGISTRY_STORE_URL is no address of a database: it has the form postgres://user:password@host:port/database',
    );
  const { described } = address;
  const { default: driver } = await import('pg');
  const connections = Math.max(options.connections, FEWEST);
  const hosts = new Hosts({ ...options, driver, address, connections });
  const database = new Database({ ...options, hosts, described, patienceMs });
  try {
    await prepareTables(database);
  } catch (error) {
    await database.close();
    if (error instanceof KeepUnusable) throw error;
    throw new KeepUnusable(`The database ${described} cannot be used: ${explain(error)}`, { cause: error });
  }
  const readers = new PQueue({ concurrency: connections - LEFT });
  return placeOf({
    ...options,
    isShared: true,
    async engine(service) {
      const first = firstHead(unique);
      await database.run((query) => new ServiceTables(query, service, described).createHead(first));
      return new PostgresService({ ...options, database, readers, service });
    },
    close: () => database.close(),
  });
}

interface PostgresServiceParts extends Pick<PostgresOptions, 'clock' | 'pace' | 'unique'> {
  readonly database: Database;
  /**
   * Reads of one state last as long as somebody takes what is read, and each has a connection for itself: those are bounded, so that
   * commits and single rows never wait for slow readers.
   */
  readonly readers: PQueue;
  readonly service: string;
}

/** What one service has stored in a database, which several nodes may share. */
class PostgresService implements Engine {
  readonly holdsQuads: boolean;
  readonly #parts: PostgresServiceParts;

  constructor(parts: PostgresServiceParts) {
    this.#parts = parts;
    // The quads of the registry are made from its rows; nobody has to read them here.
    this.holdsQuads = parts.service !== 'registry';
  }

  get trouble(): Keep['trouble'] {
    return this.#parts.database.trouble;
  }

  async commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    const told = new Map<string, Row>();
    // Whatever was told of a row before is older.
    const take = (rows: readonly Row[]) => {
      for (const row of rows) told.set(`${row.table} ${row.key}`, row);
    };
    const known = await this.#absorbed(since, take);
    const head = await this.#writing<Head | undefined>(async (tables, now) => {
      const standing = await tables.standing(known, now);
      // Whoever notices first that the database has lost commits begins another epoch.
      if (standing === 'of another history')
        return { ...(await this.#store(tables, NO_WRITES, now, this.#parts.unique())), result: undefined };
      if (standing === 'forgotten') return { result: undefined };
      if (lease && !(await tables.lease('prove', lease))) throw new LeaseLost(lease.name);
      if (known.mark !== now.mark) for await (const some of tables.since(known.version)) take(some);
      const writes = await decide({ head: now, rows: [...told.values()] });
      return writes ? this.#store(tables, await this.#checked(writes), now) : { result: now };
    });
    if (!head) throw new HeadUnknown();
    return head;
  }

  /**
   * Reads what others have written, before anybody has to wait for that: under the lock it is only the rest.
   * @returns the head that has all that was read
   */
  async #absorbed(since: Head, take: (rows: readonly Row[]) => void): Promise<Head> {
    if ((await this.#run((tables) => tables.head())).mark === since.mark) return since;
    let known = since;
    try {
      for await (const { rows, head = known } of this.#partsSince(since)) {
        take(rows);
        known = head;
      }
    } catch (error) {
      // Under the lock it is decided what is to be done about another history, and read what could not be read.
      if (!(error instanceof HeadUnknown || error instanceof KeepUnavailable)) throw error;
    }
    return known;
  }

  exclusively: Keep['exclusively'] = (task) =>
    this.#writing(async (tables, now) => {
      const { result, ...writes } = await task(tables);
      const checked = await this.#checked(writes);
      return isNothing(checked) ? { result } : { ...(await this.#store(tables, checked, now)), result };
    });

  async *rows(tables: readonly string[], prefix?: string): AsyncGenerator<RowBatch> {
    const { database, readers } = this.#parts;
    const end = await new Promise<() => void>((begin) => void readers.add(() => new Promise<void>(begin)));
    try {
      yield* database.reading((query) => this.#tables(query).rows(tables, prefix));
    } finally {
      end();
    }
  }

  async get(table: string, keys: readonly string[]): ReturnType<Keep['get']> {
    return keys.length === 0 ? new Map() : this.#run((tables) => tables.get(table, keys));
  }

  quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    return quadsInRows(this, graphs);
  }

  async *since(known: Head): AsyncGenerator<TailPart> {
    const { database } = this.#parts;
    const now = await database.run((query) => this.#tables(query).head(), LOOKING);
    if (now.mark === known.mark) return;
    try {
      yield* this.#partsSince(known);
    } catch (error) {
      if (error instanceof HeadUnknown) await this.commit(known, () => undefined);
      throw error;
    }
  }

  lease(...asked: Parameters<Engine['lease']>): Promise<boolean> {
    return this.#run((tables) => tables.lease(...asked));
  }

  #checked(writes: Writes): Promise<CheckedWrites> {
    return checkedWrites(writes, this.#parts.pace());
  }

  async #store(
    tables: ServiceTables,
    writes: CheckedWrites,
    { epoch: former, version }: Head,
    epoch = former,
  ): Promise<Work<Head>> {
    const head: Head = { epoch, version: version + 1, mark: this.#parts.unique() };
    const quads = this.holdsQuads ? quadRows(writes) : [];
    await tables.write([...writes.rows, ...quads], head);
    await tables.moveHead(head);
    return { result: head, hasCommitted: (query) => this.#tables(query).hasHead(head) };
  }

  /** Runs a transaction that has the head. */
  #writing<T>(work: (tables: ServiceTables, head: Head) => Promise<Work<T>>): Promise<T> {
    return this.#parts.database.write(async (query) => {
      const tables = this.#tables(query);
      return work(tables, await tables.head('FOR UPDATE'));
    });
  }

  /** @throws HeadUnknown */
  #partsSince(known: Head): AsyncGenerator<TailPart> {
    return this.#parts.database.reading((query) => this.#tables(query).parts(known));
  }

  #run<T>(work: (tables: ServiceTables) => Promise<T>): Promise<T> {
    return this.#parts.database.run((query) => work(this.#tables(query)));
  }

  #tables(query: Query): ServiceTables {
    const { service, database } = this.#parts;
    return new ServiceTables(query, service, database.described);
  }
}
