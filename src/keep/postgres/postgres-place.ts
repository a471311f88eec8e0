import type { Pace } from '../../lib/pace.js';
import type { Keep, Place } from '../keep.js';
import { unusableDatabase } from './advice.js';
import type { Database } from './database.js';
import { createHead } from './head.js';
import { type DatabaseOptions, openDatabase } from './open-database.js';
import { PostgresKeep } from './postgres-keep.js';
import { Readers } from './readers.js';
import { prepareTables } from './schema.js';

export interface PostgresOptions extends DatabaseOptions {
  readonly pace: Pace;
  /** Draws epochs, marks and fences: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
}

/** Connections that whoever reads all rows leaves to commits, looks and leases; and as few readers as there must be room for. */
const LEFT = 2;
const FEWEST = LEFT + 2;

/** Opens a database, and makes its tables when there are none. Nodes may share it. @throws KeepUnusable */
export async function openPostgresPlace(options: PostgresOptions): Promise<Place> {
  const connections = Math.max(options.connections, FEWEST);
  const database = await openDatabase({ ...options, connections });
  try {
    await prepareTables(database);
  } catch (error) {
    await database.close();
    throw unusableDatabase(database.described, error);
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
