import type { Quad, Term } from '@rdfjs/types';
import type { Pattern, TermName } from 'quadstore';

/**
 * The registry reads quads graph by graph and subject by subject, when it starts; what is asked of it is answered
 * from the catalog. Each more index costs as much again in writing.
 */
export const INDEX: TermName[] = ['graph', 'subject', 'predicate', 'object'];

/**
 * The part of a pattern that the index can serve. A range ends at a literal, whose text alone does not say where it
 * ends. The rest is left to `matches`.
 */
export function indexed(pattern: Pattern): Pattern {
  const asked: Pattern = {};
  for (const name of INDEX) {
    const term = pattern[name];
    if (!term) break;
    Object.assign(asked, { [name]: term });
    if (term.termType === 'Literal') break;
  }
  return asked;
}

/** quadstore's patterns compare the text of terms alone: an IRI would also find a literal that reads the same. */
export function matches(quad: Quad, pattern: Pattern): boolean {
  const same = (term: Term, wanted: { termType: string } | undefined) =>
    !wanted || wanted.termType === 'Range' || term.equals(wanted as Term);
  return (
    same(quad.subject, pattern.subject) &&
    same(quad.predicate, pattern.predicate) &&
    same(quad.object, pattern.object) &&
    same(quad.graph, pattern.graph)
  );
}
