import type { Quad, Quad_Graph, Quad_Object } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Capability } from '../capability.js';
import { iriOfName, KNOWN_AS, type Member, membersOf, NO_INVOCATION, RDF_JSON } from '../capability-terms.js';
import type { GraphNode, GraphValue } from '../graph-node.js';
import { AC, RDF_TYPE, type Vocabulary } from '../vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

type JsonObject = Readonly<Record<string, unknown>>;

/** Capabilities as RDF, in the terms of the draft; `nameOf` says what their nodes are called (see `partNames`). */
export function capabilityQuads(
  capabilities: readonly Capability[],
  { namespace, predicates }: Vocabulary,
  subject: string,
  graph: Quad_Graph,
  nameOf: (path: readonly number[]) => string,
): Quad[] {
  const writer = new NodeWriter(namespace, graph, nameOf);
  capabilities.forEach((capability, i) => {
    const node = writer.node([i + 1], capability, 'capability', `${AC}Capability`);
    writer.add(subject, predicates.capability, namedNode(node));
  });
  return writer.quads;
}

class NodeWriter {
  readonly quads: Quad[] = [];
  readonly #own: string;
  readonly #graph: Quad_Graph;
  readonly #nameOf: (path: readonly number[]) => string;

  constructor(own: string, graph: Quad_Graph, nameOf: (path: readonly number[]) => string) {
    this.#own = own;
    this.#graph = graph;
    this.#nameOf = nameOf;
  }

  add(subject: string, predicate: string, object: Quad_Object): void {
    this.quads.push(quad(namedNode(subject), namedNode(predicate), object, this.#graph));
  }

  /** Writes a node, and says what it is called. */
  node(path: readonly number[], value: JsonObject, kind: string, type?: string): string {
    const name = this.#nameOf(path);
    if (type !== undefined) this.add(name, RDF_TYPE, namedNode(type));
    if (typeof value.id === 'string') this.add(name, KNOWN_AS, namedNode(value.id));
    let parts = 0;
    for (const member of membersOf(kind, this.#own)) {
      const values = valuesOf(value[member.key], member);
      if (values.length === 0 && member.key === 'invocation' && value[member.key])
        this.add(name, member.iri, namedNode(NO_INVOCATION));
      for (const one of values)
        this.add(
          name,
          member.iri,
          this.#object(one, member, () => [...path, ++parts]),
        );
    }
    return name;
  }

  #object(value: unknown, { is }: Member, next: () => readonly number[]): Quad_Object {
    if (is === 'text') return literal(String(value));
    if (is === 'json') return literal(JSON.stringify(value), namedNode(RDF_JSON));
    if (is === 'iri' || is === 'name') return namedNode(iriOfName(String(value), this.#own));
    return namedNode(
      is === 'other'
        ? this.#invocation(next(), value as JsonObject)
        : this.node(next(), value as JsonObject, is),
    );
  }

  #invocation(path: readonly number[], invocation: JsonObject): string {
    const type = String(invocation.type);
    const name = this.node(path, invocation, type, iriOfName(type, this.#own));
    if (membersOf(type, this.#own).length > 0) return name;
    const { id: _id, type: _type, ...values } = invocation;
    this.#values(path, name, values as GraphNode);
    return name;
  }

  /** What is said of a node of which nothing is known. */
  #values(path: readonly number[], name: string, node: GraphNode): void {
    let parts = 0;
    for (const [key, values] of Object.entries(node)) {
      if (key === '@type')
        for (const type of values) this.add(name, RDF_TYPE, namedNode(iriOfName(String(type), this.#own)));
      else
        for (const value of values)
          this.add(
            name,
            iriOfName(key, this.#own),
            this.#graphObject(value, () => [...path, ++parts]),
          );
    }
  }

  #graphObject(value: GraphValue, next: () => readonly number[]): Quad_Object {
    if (typeof value === 'string') return literal(value);
    const { '@id': id, '@value': text, '@type': type, '@language': language } = value as JsonObject;
    if (typeof id === 'string') return namedNode(id);
    if (typeof text === 'string')
      return literal(text, typeof language === 'string' ? language : namedNode(String(type)));
    const path = next();
    const name = this.#nameOf(path);
    this.#values(path, name, value as GraphNode);
    return namedNode(name);
  }
}

function valuesOf(value: unknown, { isList }: Member): readonly unknown[] {
  if (value === undefined) return [];
  return isList ? (value as readonly unknown[]) : [value];
}
