import type { Quad, Term } from '@rdfjs/types';
import { RDF_JSON } from '../capability-terms.js';
import { isPart } from '../part-iri.js';
import { RDF_TYPE, XSD } from '../vocabulary.js';

type Node = Record<string, unknown>;

/**
 * Quads as expanded JSON-LD (JSON-LD 1.1, section 4): their subjects, in this order, but parts of capabilities, which stand
 * within what names them. The type comes first and the identifier second, so that it can be read while it arrives (Streaming
 * JSON-LD, sections 3.2 and 3.3).
 */
export function jsonLdNodes(quads: Iterable<Quad>): Node[] {
  const nodes = new Map<string, Node>();
  const nodeOf = (iri: string): Node => {
    const node = nodes.get(iri) ?? {};
    nodes.set(iri, node);
    return node;
  };
  for (const { subject, predicate, object } of quads) {
    const isType = predicate.value === RDF_TYPE;
    const node = nodeOf(subject.value);
    const key = isType ? '@type' : predicate.value;
    node[key] ??= [];
    (node[key] as unknown[]).push(isType ? object.value : expandedValue(object, nodeOf));
  }
  return [...nodes].flatMap(([iri, { '@type': type, ...members }]) =>
    isPart(iri) ? [] : { ...(type ? { '@type': type } : {}), '@id': iri, ...members },
  );
}

function expandedValue(term: Term, nodeOf: (iri: string) => Node): unknown {
  // Members of a node are added to the object that stands in the one around it.
  if (term.termType !== 'Literal')
    return isPart(term.value)
      ? Object.assign(nodeOf(term.value), { '@id': term.value })
      : { '@id': term.value };
  const { value, language, datatype } = term;
  if (datatype.value === RDF_JSON) return { '@value': JSON.parse(value), '@type': '@json' };
  if (language !== '') return { '@value': value, '@language': language };
  return datatype.value === `${XSD}string`
    ? { '@value': value }
    : { '@value': value, '@type': datatype.value };
}
