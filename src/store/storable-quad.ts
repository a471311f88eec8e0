import type { Quad } from '@rdfjs/types';

const STORABLE = new Set(['NamedNode', 'BlankNode', 'Literal', 'DefaultGraph']);

/** Refuses terms that an engine would store as something else. @throws TypeError */
export function refuseUnstorable({ subject, predicate, object, graph }: Quad): void {
  for (const { termType, value } of [subject, predicate, object, graph]) {
    if (!STORABLE.has(termType)) throw new TypeError(`A ${termType} cannot be stored`);
    if (!value.isWellFormed()) throw new TypeError('Text with half a character cannot be stored');
  }
}
