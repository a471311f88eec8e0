import type { Quad, Quad_Graph, Quad_Object } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { JsonObject } from '../canonical-capability.js';
import type { Capability } from '../capability.js';
import {
  iriOfName,
  KNOWN_AS,
  type Member,
  membersOf,
  NO_INVOCATION,
  type NodeKind,
  RDF_JSON,
} from '../capability-terms.js';
import { PLAIN_FIELDS, type PlainField, VALUES } from '../fields.js';
import type { Metadata } from '../metadata.js';
import { partIri } from '../part-iri.js';
import { AC, RDF_TYPE, type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

/** What the quads of a component are about, and where they stand. This code also runs in browsers. */
export interface Described {
  readonly subject: string;
  readonly graph: Quad_Graph;
}

/** A component as quads: its class, one statement per value, and its capabilities; `root` begins the names of their nodes. */
export function componentQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  described: Described & { readonly root: string },
): Quad[] {
  const { capability } = component;
  const quads = plainQuads(component, vocabulary, described);
  if (capability) quads.push(...capabilityQuads(capability, vocabulary, described));
  return quads;
}

/** A component without its capabilities. */
export function plainQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  { subject, graph }: Described,
): Quad[] {
  const about = namedNode(subject);
  const quads: Quad[] = [quad(about, namedNode(RDF_TYPE), namedNode(vocabulary.component), graph)];
  for (const field of PLAIN_FIELDS) {
    const predicate = namedNode(vocabulary.predicates[field]);
    const value = component[field] ?? [];
    for (const one of typeof value === 'object' ? value : [String(value)])
      quads.push(quad(about, predicate, termOf(field, one), graph));
  }
  return quads;
}

function termOf(field: PlainField, value: string) {
  if (VALUES[field] === 'iri') return namedNode(value);
  return VALUES[field] === 'boolean' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}

/** Capabilities as RDF, in the terms of the draft. */
function capabilityQuads(
  capabilities: readonly Capability[],
  { namespace, predicates }: Vocabulary,
  { subject, graph, root }: Described & { readonly root: string },
): Quad[] {
  const quads: Quad[] = [];
  const add = (about: string, predicate: string, object: Quad_Object) =>
    quads.push(quad(namedNode(about), namedNode(predicate), object, graph));

  /** Writes a node, and says what it is called. */
  const node = (path: readonly number[], value: JsonObject, kind: NodeKind, type?: string): string => {
    const name = partIri(root, path);
    if (type !== undefined) add(name, RDF_TYPE, namedNode(type));
    if (typeof value.id === 'string') add(name, KNOWN_AS, namedNode(value.id));
    let parts = 0;
    for (const { key, is, iris } of membersOf(kind, namespace)) {
      const values = [value[key] ?? []].flat();
      const predicate = iris[0] ?? '';
      if (is === 'invocation' && value[key] && values.length === 0)
        add(name, predicate, namedNode(NO_INVOCATION));
      const next = () => [...path, ++parts];
      for (const one of values) add(name, predicate, objectOf(one, is, next));
    }
    return name;
  };
  const objectOf = (value: unknown, is: Member['is'], next: () => readonly number[]): Quad_Object => {
    if (is === 'text') return literal(String(value));
    if (is === 'json') return literal(JSON.stringify(value), namedNode(RDF_JSON));
    if (is === 'iri' || is === 'name') return namedNode(iriOfName(String(value), namespace));
    const within = value as JsonObject;
    if (is !== 'invocation') return namedNode(node(next(), within, is));
    const kind = within.type as NodeKind;
    return namedNode(node(next(), within, kind, iriOfName(kind, namespace)));
  };
  capabilities.forEach((capability, i) => {
    const name = node([i + 1], capability, 'capability', `${AC}Capability`);
    add(subject, predicates.capability, namedNode(name));
  });
  return quads;
}
