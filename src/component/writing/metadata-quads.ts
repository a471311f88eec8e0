import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata, PlainField } from '../metadata.js';
import { RDF_TYPE, type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';
import { capabilityQuads } from './capability-quads.js';
import { fieldValues, holdsIris } from './field-values.js';

const { namedNode, literal, quad, defaultGraph } = DataFactory;

/** A component as quads about `subject`: its class, one statement per value, and its capabilities. */
export function metadataToQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  subject = component.uri,
  graph: Quad_Graph = defaultGraph(),
): Quad[] {
  const quads = plainQuads(component, vocabulary, subject, graph);
  const { capability } = component;
  if (capability) quads.push(...capabilityQuads(capability, vocabulary, subject, graph));
  return quads;
}

/**
 * The same as engines store it: all quads are about the component, and its capabilities are one of them, as JSON. So they come and
 * go with the component, whatever else speaks of the same nodes.
 */
export function storedQuads(component: Metadata, vocabulary: Vocabulary, graph: Quad_Graph): Quad[] {
  const { uri, capability } = component;
  const quads = plainQuads(component, vocabulary, uri, graph);
  if (!capability) return quads;
  const json = literal(JSON.stringify(capability), namedNode(RDF_JSON));
  return [...quads, quad(namedNode(uri), namedNode(vocabulary.predicates.capability), json, graph)];
}

function plainQuads(component: Metadata, vocabulary: Vocabulary, subject: string, graph: Quad_Graph): Quad[] {
  const about = namedNode(subject);
  const quads: Quad[] = [quad(about, namedNode(RDF_TYPE), namedNode(vocabulary.component), graph)];
  for (const [field, values] of fieldValues(component)) {
    const predicate = namedNode(vocabulary.predicates[field]);
    for (const value of values) quads.push(quad(about, predicate, termOf(field, value), graph));
  }
  return quads;
}

function termOf(field: PlainField, value: string) {
  if (holdsIris(field)) return namedNode(value);
  return field === 'latest' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}
