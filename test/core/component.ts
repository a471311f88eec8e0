import type { Metadata } from '../../src/component/metadata.js';

/** A component, with the rest filled in; here, because to load a registry takes longer than a suite. */
export function component(name: string, more: Partial<Metadata> = {}): Metadata {
  return { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [], ...more };
}
