import type { BlankNode, Literal, NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

const { blankNode, literal, namedNode } = DataFactory;

type NodeText = readonly [kind: 'iri' | 'blank', value: string];
type LiteralText = readonly [kind: 'literal', value: string, datatype: string, language: string];
type QuadText = readonly [subject: NodeText, predicate: NodeText, object: NodeText | LiteralText];

/** The terms of a quad, without its graph, as a text that is different for each. */
export function termsText({ subject, predicate, object }: Quad): string {
  const texts: QuadText = [nodeText(subject), nodeText(predicate), objectText(object)];
  return JSON.stringify(texts);
}

/** Reads back what `termsText` wrote. */
export function quadOf(text: string, graph: NamedNode): Quad {
  const [subject, [, predicate], object] = JSON.parse(text) as QuadText;
  const objectTerm = object[0] === 'literal' ? literalOf(object) : nodeOf(object);
  return DataFactory.quad(nodeOf(subject), namedNode(predicate), objectTerm, namedNode(graph.value));
}

function nodeText({ termType, value }: Term): NodeText {
  return [termType === 'BlankNode' ? 'blank' : 'iri', value];
}

function objectText(term: Quad['object']): NodeText | LiteralText {
  if (term.termType !== 'Literal') return nodeText(term);
  return ['literal', term.value, term.datatype.value, term.language];
}

function nodeOf([kind, value]: NodeText): NamedNode | BlankNode {
  return kind === 'blank' ? blankNode(value) : namedNode(value);
}

function literalOf([, value, datatype, language]: LiteralText): Literal {
  return literal(value, language === '' ? namedNode(datatype) : language);
}
