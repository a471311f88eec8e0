import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Field, Metadata } from '../metadata.js';
import { RDF_TYPE, type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';
import { fieldValues, holdsIris } from './field-values.js';

const { namedNode, literal, quad, defaultGraph } = DataFactory;

/** A component as quads about `subject`: its class and one statement per value. */
export function metadataToQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  subject = component.uri,
  graph: Quad_Graph = defaultGraph(),
): Quad[] {
  const about = namedNode(subject);
  const quads: Quad[] = [quad(about, namedNode(RDF_TYPE), namedNode(vocabulary.component), graph)];
  for (const [field, values] of fieldValues(component)) {
    const predicate = namedNode(vocabulary.predicates[field]);
    for (const value of values) quads.push(quad(about, predicate, termOf(field, value), graph));
  }
  return quads;
}

function termOf(field: Field, value: string) {
  if (holdsIris(field)) return namedNode(value);
  return field === 'latest' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}
