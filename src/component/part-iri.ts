const BEGINS = 'urn:registry:part:';

/**
 * The name of a node within the description that `root` stands for, where its author has given it none that could be kept. Its path
 * has the places of the node and of those around it, from 1, so that their order is known in any syntax.
 */
export function partIri(root: string, path: readonly number[]): string {
  return `${BEGINS}${root}:${path.join('.')}`;
}

/** Is it a name that `partIri` gives? */
export function isPart(iri: string): boolean {
  return iri.startsWith(BEGINS);
}

/** The index of a part in the node around it; none for other names. */
export function partIndex(iri: string): number {
  return isPart(iri) ? Number(iri.split(/[.:]/).at(-1)) || 0 : 0;
}
