import PQueue from 'p-queue';
import { readDatabaseAddress } from '../../config/database-address.js';
import { explain } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import { KeepUnusable } from '../faults.js';
import type { Place } from '../keep.js';
import { quadsInRows } from '../quad-rows.js';
import { type Engine, type EngineOptions, firstHead, placeOf, writtenSince } from '../service-keep.js';
import { Database, LONGEST_SILENCE, type Patience, type Query } from './database.js';
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
  /** Aborted when the node is told to stop: what the database does not answer soon after that is broken off. */
  readonly stopping?: AbortSignal | undefined;
}

/** Connections that whoever reads all rows leaves to commits, looks and leases; and as few readers as there must be room for. */
const LEFT = 2;
const FEWEST = LEFT + 2;
/** When it is looked whether others have committed: after a look that fails, the next one comes soon. */
const LOOKING = { patienceMs: 0, silenceMs: LONGEST_SILENCE };

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
    await database.run((query) => prepareTables(query, described));
  } catch (error) {
    await database.close();
    if (error instanceof KeepUnusable) throw error;
    throw new KeepUnusable(`The database ${described} cannot be used: ${explain(error)}`, { cause: error });
  }
  const readers = new PQueue({ concurrency: connections - LEFT });
  return placeOf({
    ...options,
    isShared: true,
    isQuadstore: false,
    async engine(service) {
      const first = firstHead(unique);
      await database.run((query) => new ServiceTables(query, service, described).createHead(first));
      return engineOn(database, readers, service);
    },
    close: () => database.close(),
  });
}

/** Waits until there is room for one more. @returns what ends its turn */
function turnIn(readers: PQueue): Promise<() => void> {
  return new Promise((begin) => {
    void readers.add(() => new Promise<void>((end) => begin(end)));
  });
}

/**
 * What one service has stored in a database, which several nodes may share. Reads of one state last as long as somebody takes what is
 * read, and each has a connection for itself: so `readers` are bounded, and commits and single rows never wait for slow ones.
 */
function engineOn(database: Database, readers: PQueue, service: string): Engine {
  const tablesOf = (query: Query) => new ServiceTables(query, service, database.described);
  const run = <T>(work: (tables: ServiceTables) => Promise<T>, patience?: Patience) =>
    database.run((query) => work(tablesOf(query)), patience);
  const engine: Engine = {
    get trouble() {
      return database.trouble;
    },
    turn: (task) =>
      database.write(async (query) => {
        const tables = tablesOf(query);
        const result = await task(tables, await tables.head('FOR UPDATE'));
        const { written } = tables;
        return { result, ...(written && { hasCommitted: (again) => tablesOf(again).hasHead(written) }) };
      }),
    async *rows(tables, prefix) {
      const end = await turnIn(readers);
      try {
        yield* database.reading((query) => tablesOf(query).rows(tables, prefix));
      } finally {
        end();
      }
    },
    get: async (table, keys) => (keys.length === 0 ? new Map() : run((tables) => tables.get(table, keys))),
    quads: (graphs) => quadsInRows(engine, graphs),
    async tail(known) {
      const now = await run((tables) => tables.head(), LOOKING);
      if (now.mark === known.mark) return { head: now, rows: [] };
      const reading = database.reading(async function* (query) {
        const tables = tablesOf(query);
        yield writtenSince(known, await tables.head(), tables);
      });
      for await (const since of reading) return since;
      throw new Error('A reading gives what is read, or throws');
    },
    lease: (...asked) => run((tables) => tables.lease(...asked)),
  };
  return engine;
}
