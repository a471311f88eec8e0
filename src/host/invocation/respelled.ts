import { SAME_NAMESPACES } from '../../component/canonical-shape.js';
import type { Quad, Term } from '../quad.js';

/**
 * Data in the spelling of vocabularies in which a component names its classes: one for `https://schema.org/` would show nothing
 * of data that says `http://schema.org/`. Where it names both, or none, the data stays as it is.
 */
export function respelled(quads: readonly Quad[], classes: readonly string[]): readonly Quad[] {
  const names = (namespace: string) => classes.some((one) => one.startsWith(namespace));
  const changes = SAME_NAMESPACES.flatMap(([one, other]) => {
    if (names(one) === names(other)) return [];
    return [names(one) ? { from: other, to: one } : { from: one, to: other }];
  });
  if (changes.length === 0) return quads;
  const respell = (term: Term): Term => {
    const change = changes.find(({ from }) => term.termType === 'NamedNode' && term.value.startsWith(from));
    return change ? { termType: 'NamedNode', value: change.to + term.value.slice(change.from.length) } : term;
  };
  return quads.map(({ subject, predicate, object, graph }) => ({
    subject,
    graph,
    predicate: respell(predicate),
    object: respell(object),
  }));
}
