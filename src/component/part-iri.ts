import { hash } from 'node:crypto';

const BEGINS = 'urn:registry:part:';

/**
 * Names the nodes that a description of a component consists of, where their authors have given them none that could be kept:
 * `urn:registry:part:<hash of graph and subject>:<path>`, with the places of the node and of those around it as its path, from 1. So
 * no description shares a node with another, in however many graphs it stands, and their order is known in any syntax.
 */
export function partNames(subject: string, graph: string): (path: readonly number[]) => string {
  const root = hash('sha256', `${graph}\n${subject}`, 'base64url').slice(0, 22);
  return (path) => `${BEGINS}${root}:${path.join('.')}`;
}

/** Is it a name that `partNames` gives? */
export function isPart(iri: string): boolean {
  return iri.startsWith(BEGINS);
}

/** The place of a part in the node around it; none for other names. */
export function placeOf(iri: string): number {
  return isPart(iri) ? Number(iri.split(/[.:]/).at(-1)) || 0 : 0;
}
