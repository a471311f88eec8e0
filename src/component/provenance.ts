import { LOCAL } from './precedence.js';

const TAKEN = 'urn:registry:peer:';

/**
 * The named graphs of a node's dataset: what was posted to it is in `urn:registry:local`; what it read of a pod
 * is in a graph named by the URL of its document; what it took from a peer is in one that this function
 * names. So whoever reads the dataset can tell what the node says itself from what it passes on.
 */
export function takenFrom(peer: string, graph: string): string {
  return `${TAKEN}${encodeURIComponent(peer)}:${encodeURIComponent(graph)}`;
}

/** The graph's name at the peer, given the name that `takenFrom` made. */
export function graphTaken(name: string): string | undefined {
  if (!name.startsWith(TAKEN)) return undefined;
  return decodeURIComponent(name.slice(name.indexOf(':', TAKEN.length) + 1));
}

/** What kind of graph this is in the dataset of the node that serves it. */
export function graphKind(name: string): 'own' | 'document' | 'taken' {
  if (name === LOCAL.url) return 'own';
  return /^https?:/i.test(name) ? 'document' : 'taken';
}
