import type { Registry } from '../../../src/registry/registry.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import type { NodeClock } from '../time/virtual-time.js';

/** Ms that it takes to write what a poll has found. */
const WRITING = 5;

/** A store on whose disk a commit takes time, so that a machine can break down before it is there. */
export function slowDisk(store: RegistryStore, { clock }: { readonly clock: NodeClock }): RegistryStore {
  return {
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
    async load(options) {
      const { registry, ...others } = await store.load(options);
      return { ...others, registry: slow(registry, clock) };
    },
  };
}

function slow(registry: Registry, clock: NodeClock): Registry {
  return {
    async commit(change) {
      await clock.sleep(WRITING);
      return registry.commit(change);
    },
    commitOwn: (change) => registry.commitOwn(change),
    forget: (source) => registry.forget(source),
    setNetwork: (lists) => registry.setNetwork(lists),
    source: (source) => registry.source(source),
    sources: () => registry.sources(),
    close: () => registry.close(),
  };
}
