import type { RegistryStore } from '../registry-store.js';
import { type MemoryData, NO_DATA } from './memory-data.js';
import { MemoryPins } from './memory-pins.js';
import { type DataCell, MemoryRegistry } from './memory-registry.js';

/** A store without a disk. It can be loaded again after `close`, as a data directory can. */
export interface MemoryStore extends RegistryStore {
  /** What the disk would hold now; never changed, so that it is a backup. */
  readonly data: MemoryData;
}

/** A store that holds nothing yet, or what a backup holds. */
export function createMemoryStore(data: MemoryData = NO_DATA): MemoryStore {
  const cell: DataCell = { data };
  return {
    get data() {
      return cell.data;
    },
    async load(options) {
      const registry = new MemoryRegistry(cell, options);
      const { catalog } = registry;
      return { registry, catalog, pins: new MemoryPins(registry, catalog) };
    },
    trouble: undefined,
    async close() {
      // The cell stays, as a disk would.
    },
  };
}
