import type { Quad, Term } from '@rdfjs/types';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata } from '../metadata.js';
import { componentAddress, type Naming } from '../naming.js';
import { isPart } from '../part-iri.js';
import { RDF_TYPE, XSD } from '../vocabulary.js';
import { metadataToQuads } from './metadata-quads.js';

/**
 * A component as expanded JSON-LD (JSON-LD 1.1, section 4), made of its quads: each node stands within the one that names it. The
 * type comes first and the identifier second, so that it can be read while it arrives (Streaming JSON-LD, sections 3.2 and 3.3).
 * @param more quads about its address: who says so, for instance
 */
export function jsonLdObject(
  component: Metadata,
  { baseUrl, vocabulary }: Naming,
  more: readonly Quad[] = [],
): Record<string, unknown> {
  const address = componentAddress(baseUrl, component.uri);
  const object: Record<string, unknown> = { '@type': [], '@id': address };
  const nodes = new Map([[address, object]]);
  const nodeOf = (iri: string): Record<string, unknown> => {
    const node = nodes.get(iri) ?? {};
    nodes.set(iri, node);
    return node;
  };
  for (const { subject, predicate, object: value } of [
    ...metadataToQuads(component, vocabulary, address),
    ...more,
  ]) {
    const isType = predicate.value === RDF_TYPE;
    const node = nodeOf(subject.value);
    const key = isType ? '@type' : predicate.value;
    node[key] ??= [];
    (node[key] as unknown[]).push(isType ? value.value : expandedValue(value, nodeOf));
  }
  return object;
}

function expandedValue(term: Term, nodeOf: (iri: string) => object): unknown {
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
