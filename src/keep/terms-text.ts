import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

/** The terms of a quad without its graph, as a text that is different for each: what two quads are compared and ordered by. */
export function termsText({ subject, predicate, object }: Quad): string {
  return JSON.stringify([termText(subject), termText(predicate), termText(object)]);
}

/** A text that is different for each term. */
export function termText(term: Term): readonly string[] {
  if (term.termType !== 'Literal') return [term.termType, term.value];
  return [term.termType, term.value, term.datatype.value, term.language];
}

/** Reads back what `termText` wrote. */
export function readTerm([type, value = '', datatype = '', language = '']: readonly string[]): Term {
  if (type === 'NamedNode') return DataFactory.namedNode(value);
  if (type === 'BlankNode') return DataFactory.blankNode(value);
  return DataFactory.literal(value, language === '' ? DataFactory.namedNode(datatype) : language);
}
