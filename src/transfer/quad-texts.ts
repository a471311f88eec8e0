import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { readTerm, termText } from '../keep/terms-text.js';

/** Texts that tell one term from all others: kind, value, and of literals the datatype and the language. */
const TEXTS_PER_TERM = 4;

/** A quad of a known graph as texts, so that blank nodes keep their labels, which no syntax of RDF promises. */
export function textsOfQuad({ subject, predicate, object }: Quad): string[] {
  return [subject, predicate, object].flatMap((term) => {
    const [type = '', value = '', datatype = '', language = ''] = termText(term);
    return [type, value, datatype, language];
  });
}

/** Reads back what `textsOfQuad` wrote. */
export function quadOfTexts(texts: readonly string[], graph: NamedNode): Quad {
  const term = (at: number): Term => readTerm(texts.slice(at * TEXTS_PER_TERM, (at + 1) * TEXTS_PER_TERM));
  return DataFactory.quad(term(0) as never, term(1) as never, term(2) as never, graph);
}
