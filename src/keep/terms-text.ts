import type { Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

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
