import { StorageFailure } from '../../src/lib/faults.js';
import type { RegistryStore } from '../../src/store/registry-store.js';

/** The store, but the nth write of what is posted to the node (1 is the first) finds the disk full. Nothing of it is kept. */
export function failingStore(store: RegistryStore, nth: number): RegistryStore {
  let writes = 0;
  return {
    async load(options) {
      const { registry, ...others } = await store.load(options);
      const commitOwn = registry.commitOwn.bind(registry);
      registry.commitOwn = async (change) => {
        writes += 1;
        if (writes === nth) throw new StorageFailure('The disk of this node is full');
        return commitOwn(change);
      };
      return { registry, ...others };
    },
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
  };
}
