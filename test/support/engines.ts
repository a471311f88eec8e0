import type { Level } from '../../src/store/disk/database/level.js';
import type { DiskStoreOptions } from '../../src/store/disk/disk-store.js';
import { createMemoryStore } from '../../src/store/memory/memory-store.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { precedence } from '../registry/sources.js';
import { openRegistry, registryOptions, TestRegistry } from './registry.js';
import { PLACES, type Place } from './stores.js';

/** An engine with data of its own, for the contract suites. */
export interface Engine {
  /** Opens the registry, as a start does; what was there before it was closed is there again. */
  open(options: Partial<LoadOptions>): Promise<TestRegistry>;
  /** Does it give the JSON of its pages? */
  readonly holdsJson: boolean;
  /** Opens a registry on the data whose commits can be made to fail; absent where nothing can fail. */
  breakable?(): Promise<Breakable>;
  /** Removes the data. */
  remove(): Promise<void>;
}

export interface Breakable {
  readonly registry: TestRegistry;
  /**
   * Has commits fail from now on, until what is returned is called: `refused`, before anything is written; `unsettled`, after
   * that, and nobody can say so.
   */
  breakCommits(how: 'refused' | 'unsettled'): () => void;
}

/** The disk engine, its database on files or in memory. */
export const diskEngine =
  (kind: keyof typeof PLACES, options: Partial<DiskStoreOptions> = {}) =>
  async (): Promise<Engine> => {
    const place = await (PLACES[kind] as () => Promise<Place>)();
    return {
      holdsJson: true,
      open: async (more) => openRegistry(await place.open(), more, options),
      breakable: async () => {
        const level = await place.open();
        const registry = await openRegistry(level, { precedence }, options);
        return { registry, breakCommits: (how) => breakWrites(level, how === 'unsettled') };
      },
      remove: () => place.remove(),
    };
  };

interface Batch {
  write(options?: object): Promise<void>;
}

/** A disk whose writes fail; where they are `done` nevertheless, it cannot be read either. */
function breakWrites(level: Level, isDone: boolean): () => void {
  const batch = level.batch.bind(level) as () => Batch;
  const broken = () => {
    const made = batch();
    const write = made.write.bind(made);
    return Object.assign(made, {
      write: async (options?: object) => {
        if (isDone) await write(options);
        throw new Error('IO error: a bad sector');
      },
    });
  };
  const getMany = () => Promise.reject(new Error('IO error: a bad sector'));
  Object.assign(level, { batch: broken, ...(isDone ? { getMany } : {}) });
  return () => {
    for (const name of ['batch', 'getMany']) Reflect.deleteProperty(level, name);
  };
}

export const memoryEngine = async (): Promise<Engine> => {
  const store = createMemoryStore();
  return {
    holdsJson: false,
    open: async (options) => new TestRegistry(await store.load(registryOptions(options))),
    remove: () => store.close(),
  };
};
