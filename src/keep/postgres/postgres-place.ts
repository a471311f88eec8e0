import { readDatabaseAddress } from '../../config/database-address.js';
import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import { KeepUnusable } from '../faults.js';
import type { Keep, Place } from '../keep.js';
import { unusableDatabase } from './advice.js';
import { Database } from './database.js';
import { createHead } from './head.js';
import { Hosts } from './hosts.js';
import { PostgresKeep } from './postgres-keep.js';
import { Readers } from './readers.js';
import { prepareTables } from './schema.js';

export interface PostgresOptions {
  /** Where the database is; it may name several hosts and hold a password. */
  readonly url: string;
  /** Connections at a time; four at least. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
  /** Of real time: no virtual clock hurries a server. */
  readonly clock: Clock;
  readonly pace: Pace;
  readonly random: () => number;
  /** Draws epochs, marks and fences: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
  readonly log: LogTo<'info' | 'warn'>;
  /** How long is tried again what failed, in ms; 3 s when absent. */
  readonly patienceMs?: number;
}

/** Connections that whoever reads all rows leaves to commits, looks and leases; and as few readers as there must be room for. */
const LEFT = 2;
const FEWEST = LEFT + 2;

/** Opens a database, and makes its tables when there are none. Nodes may share it. @throws KeepUnusable */
export async function openPostgresPlace(options: PostgresOptions): Promise<Place> {
  const { url, clock, random, log, statementMs, patienceMs = 3_000 } = options;
  const address = readDatabaseAddress(url);
  if (!address)
    throw new KeepUnusable(
      'REGISTRY_STORE_URL is no address of a database: it has the form postgres://user:password@host:port/database',
    );
  const { default: driver } = await import('pg');
  const connections = Math.max(options.connections, FEWEST);
  const hosts = new Hosts({ driver, address, connections, statementMs, clock });
  const database = new Database({ hosts, clock, random, log, patienceMs });
  try {
    await prepareTables(database);
  } catch (error) {
    await database.close();
    throw unusableDatabase(address.described, error);
  }
  return new PostgresPlace(database, new Readers(database, connections - LEFT), options);
}

class PostgresPlace implements Place {
  readonly isShared = true;
  readonly #database: Database;
  readonly #readers: Readers;
  readonly #options: PostgresOptions;
  readonly #keeps = new Set<Keep>();

  constructor(database: Database, readers: Readers, options: PostgresOptions) {
    this.#database = database;
    this.#readers = readers;
    this.#options = options;
  }

  async keep(service: 'registry' | 'connection'): Promise<Keep> {
    const { clock, pace, unique } = this.#options;
    const first = { epoch: unique(), version: 0, mark: unique() };
    await this.#database.run((session) => createHead(session, service, first));
    const [database, readers] = [this.#database, this.#readers];
    // The quads of the registry are made from its rows; nobody has to read them here.
    const holdsQuads = service !== 'registry';
    const keep = new PostgresKeep({ database, readers, service, holdsQuads, clock, pace, unique });
    this.#keeps.add(keep);
    return keep;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#keeps].map((keep) => keep.close()));
    await this.#database.close();
  }
}
