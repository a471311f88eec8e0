import { readDatabaseAddress } from '../../config/database-address.js';
import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import { KeepUnusable } from '../faults.js';
import { Database } from './database.js';
import { Hosts } from './hosts.js';

export interface DatabaseOptions {
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
}

/** The database of an address; nothing has been asked of it yet. @throws KeepUnusable when that is no address */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
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
