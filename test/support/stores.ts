import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryLevel } from 'memory-level';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { type Level, openLevel } from '../../src/store/disk/database/level.js';
import { QuadStore, type StoreOptions } from '../../src/store/disk/database/quad-store.js';

/** A place where a database can be opened, closed and opened again with what was in it. */
export interface Place {
  readonly name: string;
  open(): Promise<Level>;
  remove(): Promise<void>;
}

/** The kinds of place that a contract suite of the store runs on. */
export const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  disk: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'registry-store-'));
    return {
      name: 'disk',
      open: () => openLevel(directory),
      remove: () => rm(directory, { recursive: true, force: true }),
    };
  },
  memory: async () => {
    const level = new MemoryLevel<string, string>();
    return {
      name: 'memory',
      open: async () => {
        await level.open();
        return level as unknown as Level;
      },
      remove: async () => level.close(),
    };
  },
};

/** A store of quads on an open database. */
export function openQuadStore(level: Level, more: Partial<StoreOptions> = {}): Promise<QuadStore> {
  return QuadStore.open(level, { clock: systemClock, pace: systemPace, ...more });
}

/** Opens the database in a folder behind the registry's back, for one task. */
export async function withQuadStore<T>(
  directory: string,
  task: (store: QuadStore) => Promise<T>,
): Promise<T> {
  const store = await openQuadStore(await openLevel(directory));
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}
