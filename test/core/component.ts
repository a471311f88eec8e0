import type { Metadata } from '../../src/component/metadata.js';

/** A component, with what a test does not care about filled in; without a registry, which takes long to load. */
export function component(name: string, more: Partial<Metadata> = {}): Metadata {
  return { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [], ...more };
}
