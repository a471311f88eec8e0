import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata } from '../metadata.js';
import { shortHash } from '../statement-digest.js';
import type { Vocabulary } from '../vocabulary.js';
import { componentQuads, plainQuads } from './component-quads.js';

const { namedNode, literal, quad, defaultGraph } = DataFactory;

/**
 * A component as quads about `subject`. The nodes of its capabilities are named after the hash of graph and subject: no description
 * shares a node with another, in however many graphs it stands.
 */
export function metadataToQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  subject = component.uri,
  graph: Quad_Graph = defaultGraph(),
): Quad[] {
  const root = component.capability ? shortHash(`${graph.value}\n${subject}`) : '';
  return componentQuads(component, vocabulary, { subject, graph, root });
}

/**
 * The same as engines store it: all quads are about the component, and its capabilities are one of them, as JSON. So they come and
 * go with the component, whatever else speaks of the same nodes.
 */
export function storedQuads(component: Metadata, vocabulary: Vocabulary, graph: Quad_Graph): Quad[] {
  const { uri, capability } = component;
  const quads = plainQuads(component, vocabulary, { subject: uri, graph });
  if (!capability) return quads;
  const json = literal(JSON.stringify(capability), namedNode(RDF_JSON));
  return [...quads, quad(namedNode(uri), namedNode(vocabulary.predicates.capability), json, graph)];
}
