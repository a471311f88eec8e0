import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { shortHash } from '../../lib/short-hash.js';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata } from '../metadata.js';
import { createVocabulary, type Vocabulary } from '../vocabulary.js';
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

/** In this vocabulary quads are stored, whichever one the node speaks: another one changes nothing on disk. */
export const STORED_VOCABULARY = createVocabulary('http://semcom.digita.ai/voc#');

/**
 * The same as engines store it: all quads are about the component, and its capabilities are one of them, as JSON. So they come and
 * go with the component, whatever else speaks of the same nodes.
 */
export function storedQuads(component: Metadata, graph: Quad_Graph): Quad[] {
  const { uri, capability } = component;
  const quads = plainQuads(component, STORED_VOCABULARY, { subject: uri, graph });
  if (!capability) return quads;
  const json = literal(JSON.stringify(capability), namedNode(RDF_JSON));
  return [...quads, quad(namedNode(uri), namedNode(STORED_VOCABULARY.predicates.capability), json, graph)];
}
