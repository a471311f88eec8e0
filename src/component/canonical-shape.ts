/**
 * Namespaces that mean the same, as people write them, and the one under which their terms are found. schema.org uses both
 * schemes itself, and asks software to treat them alike (https://schema.org/docs/faq.html#19).
 */
export const SAME_NAMESPACES = [['http://schema.org/', 'https://schema.org/']] as const;

/**
 * The IRI under which a term is found: equal for two IRIs exactly if they mean the same class, shape or predicate. What an author
 * wrote stays as it is wherever metadata is shown or passed on.
 */
export function canonicalShape(iri: string): string {
  for (const [written, found] of SAME_NAMESPACES)
    if (iri.startsWith(written)) return found + iri.slice(written.length);
  return iri;
}

/** The same for several IRIs, each once, in their order; the list itself where nothing changes. */
export function canonicalShapes(iris: readonly string[]): readonly string[] {
  if (iris.every((iri) => canonicalShape(iri) === iri)) return iris;
  return [...new Set(iris.map(canonicalShape))];
}

/** All ways to write a term, the canonical one first: nodes of other makes compare texts. */
export function spellingsOf(iri: string): string[] {
  const canonical = canonicalShape(iri);
  const others = SAME_NAMESPACES.flatMap(([written, found]) =>
    canonical.startsWith(found) ? [written + canonical.slice(found.length)] : [],
  );
  return [canonical, ...others];
}

/** The values of a list by which a component is found and counted, each once. */
export function indexedValues<F extends 'author' | 'tag' | 'shapes'>(
  component: Readonly<Record<F, readonly string[]>>,
  field: F,
): readonly string[] {
  return field === 'shapes' ? canonicalShapes(component[field]) : component[field];
}
