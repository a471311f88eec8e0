import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { IRI_FIELDS, type Metadata, PLAIN_FIELDS, type PlainField } from '../metadata.js';
import { RDF_TYPE, type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

/** A component without its capabilities as quads about `subject`: its class, and one statement per value. */
export function plainQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  subject: string,
  graph: Quad_Graph,
): Quad[] {
  const about = namedNode(subject);
  const quads: Quad[] = [quad(about, namedNode(RDF_TYPE), namedNode(vocabulary.component), graph)];
  for (const [field, values] of fieldValues(component)) {
    const predicate = namedNode(vocabulary.predicates[field]);
    for (const value of values) quads.push(quad(about, predicate, termOf(field, value), graph));
  }
  return quads;
}

function termOf(field: PlainField, value: string) {
  if (IRI_FIELDS.includes(field)) return namedNode(value);
  return field === 'latest' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}

/** The plain fields that have values, each with its values as text, in the order of `PLAIN_FIELDS`. */
export function* fieldValues(component: Metadata): Generator<[PlainField, readonly string[]]> {
  for (const field of PLAIN_FIELDS) {
    const value = component[field];
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue;
    yield [field, typeof value === 'object' ? value : [String(value)]];
  }
}
