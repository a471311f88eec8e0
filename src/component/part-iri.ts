const BEGINS = 'urn:registry:part:';

/** The name of a node within the description that `root` stands for, by its path: see `partNames`. */
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
