import { type DatabaseAddress, readDatabaseAddress } from '../../config/database-address.js';
import type { Clock } from '../../lib/clock.js';
import type { StoreLog } from '../registry-store.js';
import { UnusableData } from '../unusable-data.js';
import { Connections } from './connection/connections.js';
import { Database } from './connection/database.js';
import { loadDriver } from './connection/driver.js';
import type { ConnectionLimits } from './connection/pool.js';

export interface PostgresStoreOptions extends ConnectionLimits {
  /** Where the database is; it may hold a password. */
  readonly url: string;
  /** Of real time. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: StoreLog;
  /** How long is tried again what failed, in ms; 3 s when absent. */
  readonly patienceMs?: number;
  /** How often a node says that it is there, in ms; a fifth of the time after which it counts as gone when absent. */
  readonly signMs?: number;
  /** The database is claimed in this name for as long as a store is open: nobody else changes it meanwhile. */
  readonly holder?: string | undefined;
}

/** @throws UnusableData */
export async function openDatabase(options: PostgresStoreOptions): Promise<Database> {
  const { url, clock, random, log, patienceMs, holder } = options;
  const driver = await loadDriver();
  const connections = new Connections(driver, addressIn(url), options, clock);
  return new Database({ connections, clock, random, log, patienceMs, holder });
}

function addressIn(url: string): DatabaseAddress {
  const address = readDatabaseAddress(url);
  if (address) return address;
  throw new UnusableData(
    `REGISTRY_STORE_URL is no address of a database: it has the form postgres://user:password@host:port/database`,
  );
}
