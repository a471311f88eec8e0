import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import { KeepUnusable } from '../faults.js';
import type { Head, Keep, Place } from '../keep.js';
import { LocalKeep } from '../local/local-keep.js';
import { LocalService } from '../local/local-service.js';
import { type Level, openLevel } from './level-files.js';
import { LevelStore } from './level-store.js';
import { LevelWriter } from './level-writer.js';
import { SCHEMA_KEY } from './row-keys.js';

/** The layout of the directory. Those before it are of version 0.2.0 of the software and older. */
const SCHEMA = '3';
const NOTHING = { rows: [], remove: [], put: [], erase: false };

export interface LevelOptions {
  /** Of real time. */
  readonly clock: Clock;
  readonly pace: Pace;
  /** Draws epochs and marks. */
  readonly unique: () => string;
  readonly log: LogTo<'info' | 'warn'>;
}

/**
 * Opens the data in a directory, rows and quads in one LevelDB database, and makes it when there is none. It belongs to one process.
 * @throws KeepLocked, KeepDamaged; KeepUnusable for the layout of another version
 */
export async function openLevelPlace(directory: string, options: LevelOptions): Promise<Place> {
  const level = await openLevel(directory);
  try {
    await checkSchema(level);
  } catch (error) {
    await level.close();
    throw error;
  }
  return new LevelPlace(level, options);
}

class LevelPlace implements Place {
  readonly #level: Level;
  readonly #options: LevelOptions;
  readonly #writer: LevelWriter;
  readonly #services = new Map<string, Promise<LocalService>>();
  readonly #keeps = new Set<Keep>();

  constructor(level: Level, options: LevelOptions) {
    this.#level = level;
    this.#options = options;
    this.#writer = new LevelWriter(level, options);
  }

  async keep(service: string): Promise<Keep> {
    const opening = this.#services.get(service) ?? this.#open(service);
    this.#services.set(service, opening);
    const keep = new LocalKeep(await opening, this.#options.clock);
    this.#keeps.add(keep);
    return keep;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#keeps].map((keep) => keep.close()));
    await this.#writer.close();
  }

  async #open(service: string): Promise<LocalService> {
    const { clock, pace, log, unique } = this.#options;
    const store = new LevelStore({ level: this.#level, writer: this.#writer, pace, log, service });
    const head = (await store.head()) ?? (await first(store, unique));
    return new LocalService(store, [{ head, keys: [] }], { clock, unique });
  }
}

async function first(store: LevelStore, unique: () => string): Promise<Head> {
  const head = { epoch: unique(), version: 0, mark: unique() };
  await store.write(NOTHING, head);
  return head;
}

/** Refuses the layout of another version; notes this one in a new database. @throws KeepUnusable */
async function checkSchema(level: Level): Promise<void> {
  const found = await level.get(SCHEMA_KEY);
  if (found === SCHEMA) return;
  const [anything] = await level.keys({ limit: 1 }).all();
  if (anything !== undefined)
    throw new KeepUnusable(
      `The data in ${level.location} has the layout of another version of the software: export it with that version, set another dataDir, and import the file there`,
    );
  await level.put(SCHEMA_KEY, SCHEMA, { sync: true } as object);
}
