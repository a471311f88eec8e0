import PQueue from 'p-queue';
import { readDatabaseAddress } from '../../config/database-address.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import { KeepUnusable } from '../faults.js';
import type { Place } from '../keep.js';
import { placeOf } from '../service-keep.js';
import { Database } from './database.js';
import { Hosts } from './hosts.js';
import { PostgresService } from './postgres-service.js';
import { prepareTables } from './schema.js';
import { ServiceTables } from './service-tables.js';

export interface PostgresOptions {
  /** Where the database is; it may name several hosts and hold a password. */
  readonly url: string;
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
  /** Of real time: no virtual clock hurries a server. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: LogTo<'info' | 'warn'>;
  /** How long is tried again what failed, in ms; 3 s when absent. */
  readonly patienceMs?: number;
  readonly pace: Pace;
  /** See `EngineOptions`. */
  readonly unique: () => string;
}

/** Connections that whoever reads all rows leaves to commits, looks and leases; and as few readers as there must be room for. */
const LEFT = 2;
const FEWEST = LEFT + 2;

/** Opens a database, and makes its tables when there are none. Nodes may share it. @throws KeepUnusable */
export async function openPostgresPlace(options: PostgresOptions): Promise<Place> {
  const { unique } = options;
  const connections = Math.max(options.connections, FEWEST);
  const database = await openDatabase({ ...options, connections });
  try {
    await prepareTables(database);
  } catch (error) {
    await database.close();
    if (error instanceof KeepUnusable) throw error;
    const what = `The database ${database.described} cannot be used: ${explain(error)}`;
    throw new KeepUnusable(what, { cause: error });
  }
  const readers = new PQueue({ concurrency: connections - LEFT });
  return placeOf({
    ...options,
    isShared: true,
    async engine(service) {
      const first = { epoch: unique(), version: 0, mark: unique() };
      await database.run((session) => new ServiceTables(session, service).createHead(first));
      // The quads of the registry are made from its rows; nobody has to read them here.
      const holdsQuads = service !== 'registry';
      return new PostgresService({ ...options, database, readers, service, holdsQuads });
    },
    close: () => database.close(),
  });
}

/** Nothing has been asked of it yet. @throws KeepUnusable when its address is none */
async function openDatabase(options: PostgresOptions): Promise<Database> {
  const { url, clock, random, log, connections, statementMs, patienceMs = 3_000 } = options;
  const address = readDatabaseAddress(url);
  if (!address)
    throw new KeepUnusable(
      'REGISTRY_STORE_URL is no address of a database: it has the form postgres://user:password@host:port/database',
    );
  const { default: driver } = await import('pg');
  const hosts = new Hosts({ driver, address, connections, statementMs });
  return new Database({ hosts, clock, random, log, patienceMs });
}
