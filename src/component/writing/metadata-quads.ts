import { hash } from 'node:crypto';
import type { Quad, Quad_Graph } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { RDF_JSON } from '../capability-terms.js';
import type { Metadata } from '../metadata.js';
import { partIri } from '../part-iri.js';
import type { Vocabulary } from '../vocabulary.js';
import { capabilityQuads } from './capability-quads.js';
import { plainQuads } from './plain-quads.js';

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
  if (!capability) return quads;
  const nameOf = partNames(subject, graph.value);
  return [...quads, ...capabilityQuads(capability, vocabulary, subject, graph, nameOf)];
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

/**
 * Names the nodes that a description of a component consists of, where their authors have given them none that could be kept:
 * `urn:registry:part:<hash of graph and subject>:<path>`, with the places of the node and of those around it as its path, from 1. So
 * no description shares a node with another, in however many graphs it stands, and their order is known in any syntax.
 */
function partNames(subject: string, graph: string): (path: readonly number[]) => string {
  const root = hash('sha256', `${graph}\n${subject}`, 'base64url').slice(0, 22);
  return (path) => partIri(root, path);
}
