import type { Registry } from '../../../src/registry/registry.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { type MemoryData, NO_DATA } from '../../../src/store/memory/memory-data.js';
import { createMemoryStore, type MemoryStore } from '../../../src/store/memory/memory-store.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import { delegating } from './delegating.js';
import type { Opener, Storage } from './storage.js';

/** Ms that it takes to write what a poll has found. */
const WRITING = 5;

/** The disk of a node with one process. Where it is slow, a commit takes time, so that a machine can break down before it is there. */
export class OwnDisk implements Storage {
  readonly #isSlow: boolean;
  #data: MemoryData = NO_DATA;
  #open: MemoryStore | undefined;

  constructor({ isSlow }: { readonly isSlow: boolean }) {
    this.#isSlow = isSlow;
  }

  get data(): MemoryData {
    return this.#open?.data ?? this.#data;
  }

  open(opener: Opener): RegistryStore {
    const store = createMemoryStore(this.data);
    this.#open = store;
    opener.life.atEnd(() => {
      this.#data = store.data;
      this.#open = undefined;
    });
    return {
      get trouble() {
        return store.trouble;
      },
      close: () => store.close(),
      load: async (options) => {
        const { registry, ...others } = await store.load(options);
        return { ...others, registry: this.#told(registry, store, opener) };
      },
    };
  }

  backup(): () => void {
    const { data } = this;
    return () => {
      this.#data = data;
    };
  }

  #told(registry: Registry, store: MemoryStore, { clock, onWrite, committed }: Opener): Registry {
    const commit = async (change: SourceChange) => {
      if (this.#isSlow) {
        await clock.sleep(WRITING);
        if (change.documents.length > 0) onWrite();
        await clock.sleep(WRITING);
      }
      const before = store.data;
      const counts = await registry.commit(change);
      committed({ change, before, after: store.data });
      return counts;
    };
    return { ...delegating(registry), commit };
  }
}
