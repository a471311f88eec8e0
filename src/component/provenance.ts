import { percentDecode } from '../lib/http/request/percent.js';
import { LOCAL } from './source.js';

const TAKEN = 'urn:registry:peer:';

/**
 * The name of the graph for what a node took from a peer. In the dataset of a node, components that were posted to it
 * are in `urn:registry:local`, those of a pod in a graph named by the URL of the document, and those of a peer in a
 * graph with this name. So a reader of the dataset can tell what the node says itself from what it passes on.
 */
export function takenFrom(peer: string, graph: string): string {
  return `${TAKEN}${encodeURIComponent(peer)}:${encodeURIComponent(graph)}`;
}

/** The name that the graph has at the peer, given the name that `takenFrom` made of it; undefined for any other name. */
export function graphTaken(name: string): string | undefined {
  return partsOf(name)?.graph;
}

/** Who has taken a graph, given the name that `takenFrom` made of it; undefined for any other name. */
export function takerOf(name: string): string | undefined {
  return partsOf(name)?.taker;
}

/** Other nodes name their graphs as they like: with a broken percent sign too, or without the second colon. */
function partsOf(name: string): { readonly taker: string; readonly graph: string } | undefined {
  const [, ...parts] = /^urn:registry:peer:([^:]*):(.*)$/s.exec(name) ?? [];
  const [taker, graph] = parts.map(percentDecode);
  return taker === undefined || graph === undefined ? undefined : { taker, graph };
}

/** Who has written a graph or read its document, and not taken it from another node; undefined for a name of its own. */
export function holderOf(name: string): string | undefined {
  const inner = graphTaken(name);
  return inner === undefined ? undefined : (holderOf(inner) ?? takerOf(name));
}

/** The name that a graph has where it was written, without those that nodes on the way have put before it. */
export function authoredName(name: string): string {
  let written = name;
  for (let inner = graphTaken(name); inner !== undefined; inner = graphTaken(inner)) written = inner;
  return written;
}

/** The origin of a graph in the dataset of another node: posted there, read from a document, or taken from a peer. */
export function graphKind(name: string): 'own' | 'document' | 'taken' {
  if (name === LOCAL.url) return 'own';
  return /^https?:/i.test(name) ? 'document' : 'taken';
}
