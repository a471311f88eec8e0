import { createMemoryStore } from '../../src/store/memory/memory-store.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { openRegistry, registryOptions, TestRegistry } from './registry.js';
import { PLACES, type Place } from './stores.js';

/** An engine with data of its own, for the contract suites. */
export interface Engine {
  /** Opens the registry, as a start does; what was there before it was closed is there again. */
  open(options: Partial<LoadOptions>): Promise<TestRegistry>;
  /** Does it give the JSON of its pages? */
  readonly holdsJson: boolean;
  /** Removes the data. */
  remove(): Promise<void>;
}

/** The disk engine, its database on files or in memory. */
export const diskEngine = (kind: keyof typeof PLACES) => async (): Promise<Engine> => {
  const place = await (PLACES[kind] as () => Promise<Place>)();
  return {
    holdsJson: true,
    open: async (options) => openRegistry(await place.open(), options),
    remove: () => place.remove(),
  };
};

export const memoryEngine = async (): Promise<Engine> => {
  const store = createMemoryStore();
  return {
    holdsJson: false,
    open: async (options) => new TestRegistry(await store.load(registryOptions(options))),
    remove: () => store.close(),
  };
};
