import type { Registry } from '../../../src/registry/registry.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import type { NodeClock } from '../time/node-clock.js';
import { delegating } from './delegating.js';

/** Ms that it takes to write what a poll has found. */
const WRITING = 5;

export interface DiskParts {
  readonly clock: NodeClock;
  /** Told in the middle of each write of documents. */
  readonly onWrite: () => void;
}

/** A store on whose disk a commit takes time, so that a machine can break down before it is there. */
export function slowDisk(store: RegistryStore, parts: DiskParts): RegistryStore {
  return {
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
    async load(options) {
      const { registry, ...others } = await store.load(options);
      return { ...others, registry: slow(registry, parts) };
    },
  };
}

function slow(registry: Registry, { clock, onWrite }: DiskParts): Registry {
  return {
    ...delegating(registry),
    async commit(change) {
      await clock.sleep(WRITING);
      if (change.documents.length > 0) onWrite();
      await clock.sleep(WRITING);
      return registry.commit(change);
    },
  };
}
