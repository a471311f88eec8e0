/*
 * What the design promises to those who read a node, written out once more: tests that see a node from outside compare its
 * answers with this, and would notice that the sources have changed.
 */

/** Who says what was posted to the node itself; its URL is also the name of the graph. */
export const LOCAL = { kind: 'local', url: 'urn:registry:local' } as const;

/** The name of the graph in which a node has what it took from a peer, which has it in `graph`. */
export function takenFrom(peer: string, graph: string): string {
  return `urn:registry:peer:${encodeURIComponent(peer)}:${encodeURIComponent(graph)}`;
}

/** Media types that say in which document each statement is. */
export const DATASET_TYPES = ['application/n-quads', 'application/trig'] as const;

/** Media types of components, the preferred one first. */
export const COMPONENT_TYPES = [
  ...['application/json', 'application/ld+json', 'text/turtle', 'application/n-triples'],
  ...DATASET_TYPES,
] as const;

/** What is reported of a poll that has changed nothing. */
export const NO_CHANGE = {
  ...{ added: 0, changed: 0, removed: 0 },
  examples: { added: [], changed: [], removed: [] },
} as const;
