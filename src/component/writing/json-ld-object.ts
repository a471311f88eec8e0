import type { Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Capability } from '../capability.js';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata } from '../metadata.js';
import { componentAddress, type Naming } from '../naming.js';
import { isPart } from '../part-iri.js';
import { partNames } from '../part-names.js';
import { RDF_TYPE, type Vocabulary, XSD, XSD_BOOLEAN } from '../vocabulary.js';
import { capabilityQuads } from './capability-quads.js';
import { fieldValues, holdsIris } from './field-values.js';

/**
 * A component as expanded JSON-LD (JSON-LD 1.1, section 4): text is a value, IRIs are nodes. The type comes first and the
 * identifier second, so that it can be read while it arrives (Streaming JSON-LD, sections 3.2 and 3.3).
 */
export function jsonLdObject(component: Metadata, { baseUrl, vocabulary }: Naming): Record<string, unknown> {
  const subject = componentAddress(baseUrl, component.uri);
  const object: Record<string, unknown> = { '@type': [vocabulary.component], '@id': subject };
  for (const [field, values] of fieldValues(component)) {
    object[vocabulary.predicates[field]] = values.map((value) => {
      if (holdsIris(field)) return { '@id': value };
      return field === 'latest' ? { '@value': value, '@type': XSD_BOOLEAN } : { '@value': value };
    });
  }
  const { capability } = component;
  if (capability)
    object[vocabulary.predicates.capability] = expandedCapabilities(capability, vocabulary, subject);
  return object;
}

/** Each node within the one that names it. */
function expandedCapabilities(
  capabilities: readonly Capability[],
  vocabulary: Vocabulary,
  subject: string,
): unknown {
  const graph = DataFactory.defaultGraph();
  const quads = capabilityQuads(capabilities, vocabulary, subject, graph, partNames(subject, graph.value));
  const nodes = new Map<string, Record<string, unknown[]>>();
  const nodeOf = (iri: string): Record<string, unknown[]> => {
    const node = nodes.get(iri) ?? {};
    nodes.set(iri, node);
    return node;
  };
  for (const { subject, predicate, object } of quads) {
    const key = predicate.value === RDF_TYPE ? '@type' : predicate.value;
    const node = nodeOf(subject.value);
    const value = key === '@type' ? object.value : expandedValue(object, nodeOf);
    node[key] = [...(node[key] ?? []), value];
  }
  return nodeOf(subject)[vocabulary.predicates.capability];
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
