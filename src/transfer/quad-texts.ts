import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

const { blankNode, literal, namedNode, quad } = DataFactory;

/** Texts that tell one term from all others: kind, value, and of literals the datatype and the language. */
const TEXTS_PER_TERM = 4;

/** A quad of a known graph as texts, so that blank nodes keep their labels, which no syntax of RDF promises. */
export function textsOfQuad({ subject, predicate, object }: Quad): string[] {
  return [subject, predicate, object].flatMap(textsOf);
}

/** Reads back what `textsOfQuad` wrote. @throws Error for other texts */
export function quadOfTexts(texts: readonly string[], graph: NamedNode): Quad {
  const [subject, predicate, object] = [0, 1, 2].map((i) => termOf(texts.slice(i * TEXTS_PER_TERM)));
  const isQuad = subject && predicate && object && texts.length === 3 * TEXTS_PER_TERM;
  if (!isQuad || subject.termType === 'Literal' || predicate.termType !== 'NamedNode') {
    throw new Error('a quad in it is none');
  }
  return quad(subject, predicate, object, graph);
}

function textsOf(term: Term): string[] {
  const { termType, value } = term;
  return term.termType === 'Literal'
    ? [termType, value, term.datatype.value, term.language]
    : [termType, value, '', ''];
}

function termOf([termType, value = '', datatype = '', language = '']: readonly string[]) {
  if (termType === 'NamedNode') return namedNode(value);
  if (termType === 'BlankNode') return blankNode(value);
  if (termType === 'Literal') return literal(value, language || namedNode(datatype));
  return undefined;
}
