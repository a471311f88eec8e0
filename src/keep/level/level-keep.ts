import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import { NO_WRITES } from '../checked-writes.js';
import { KeepDamaged, KeepUnusable } from '../faults.js';
import type { Head, Keep, Place } from '../keep.js';
import { LocalKeep } from '../local/local-keep.js';
import { LocalService } from '../local/local-service.js';
import { Acknowledged, lastCommits } from './acknowledged.js';
import { type Level, openLevel } from './level-files.js';
import { LevelStore } from './level-store.js';
import { LevelWriter } from './level-writer.js';
import { SCHEMA, SCHEMA_KEY } from './row-keys.js';

export interface LevelOptions {
  /** Of real time. */
  readonly clock: Clock;
  readonly pace: Pace;
  /** Draws epochs and marks: 1 to 16 small letters and digits, never the same again. */
  readonly unique: () => string;
  readonly log: LogTo<'info' | 'warn'>;
  /** See `LevelWriterOptions`: only for what is thrown away when the process dies. */
  readonly isUnflushed?: boolean;
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
  return new LevelPlace(level, await Acknowledged.in(directory), options);
}

class LevelPlace implements Place {
  readonly isShared = false;
  readonly #level: Level;
  readonly #acknowledged: Acknowledged;
  readonly #options: LevelOptions;
  readonly #writer: LevelWriter;
  readonly #services = new Map<string, Promise<LocalService>>();
  readonly #keeps = new Set<Keep>();

  constructor(level: Level, acknowledged: Acknowledged, options: LevelOptions) {
    this.#level = level;
    this.#acknowledged = acknowledged;
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
    await this.#acknowledged.close();
  }

  async #open(service: string): Promise<LocalService> {
    const { clock, pace, log, unique } = this.#options;
    const [level, writer, acknowledged] = [this.#level, this.#writer, this.#acknowledged];
    const store = new LevelStore({ level, writer, acknowledged, pace, log, service });
    const head = await store.head();
    const missing = acknowledged.missing(service, head?.version ?? 0);
    if (missing > 0) throw new KeepDamaged(level.location, lastCommits(service, missing));
    const present = head ?? (await first(store, unique));
    return new LocalService(store, [{ head: present, keys: [] }], { clock, pace, unique });
  }
}

async function first(store: LevelStore, unique: () => string): Promise<Head> {
  const head = { epoch: unique(), version: 0, mark: unique() };
  await store.write(NO_WRITES, head);
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
