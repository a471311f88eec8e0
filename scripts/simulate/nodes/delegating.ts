import type { Registry } from '../../../src/registry/registry.js';

/** All that a registry does, as an object whose members can be replaced. */
export function delegating(registry: Registry): Registry {
  return {
    commit: (change) => registry.commit(change),
    commitOwn: (change) => registry.commitOwn(change),
    forget: (source, signal) => registry.forget(source, signal),
    setNetwork: (lists) => registry.setNetwork(lists),
    source: (source) => registry.source(source),
    sources: () => registry.sources(),
    close: () => registry.close(),
  };
}
