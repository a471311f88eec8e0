import type { Quad, Term } from '@rdfjs/types';
import { compareText } from '../../lib/compare-text.js';
import { jsonValue } from '../../lib/json-value.js';
import { canonicalCapability } from '../canonical-capability.js';
import { CAPABILITY_LIMITS, KINDS } from '../capability.js';
import {
  ABSTRACT_INVOCATION,
  IRI_TEMPLATE,
  KNOWN_AS,
  type Member,
  membersOf,
  NO_INVOCATION,
  nameOfIri,
  RDF_JSON,
} from '../capability-terms.js';
import { isPart, partIndex } from '../part-iri.js';
import { LIMITS } from '../values.js';
import { RDF_TYPE } from '../vocabulary.js';

type JsonObject = Record<string, unknown>;

/** Nodes that are read for one component: nodes that refer to one another could be read without an end. */
const MOST_NODES = 5_000;

/** The quads of a graph by their subjects: nodes that capabilities may consist of. */
export class GraphNodes {
  readonly #bySubject = new Map<string, Quad[]>();

  add(quad: Quad): void {
    const key = nodeKey(quad.subject);
    const quads = this.#bySubject.get(key);
    if (quads) quads.push(quad);
    else this.#bySubject.set(key, [quad]);
  }

  /** The values that a node has under one of some predicates, in their order where it is known; the first ones of very many. */
  values(node: Term, ...predicates: readonly string[]): Term[] {
    const found = this.quads(node).filter(({ predicate }) => predicates.includes(predicate.value));
    const values = new Map(found.map(({ object }) => [`${nodeKey(object)} ${languageOf(object)}`, object]));
    return [...values.values()]
      .sort((one, other) => partIndex(one.value) - partIndex(other.value))
      .slice(0, LIMITS.values + 1);
  }

  /** What is said of a node, and of those that it leads to; not of very many of them. */
  below(node: Term): Quad[] {
    const found = new Map<string, readonly Quad[]>();
    const waiting = [node];
    for (let next = waiting.pop(); next && found.size < MOST_NODES; next = waiting.pop()) {
      const quads = this.quads(next);
      if (quads.length === 0 || found.has(nodeKey(next))) continue;
      found.set(nodeKey(next), quads);
      for (const { object } of quads) waiting.push(object);
    }
    return [...found.values()].flat();
  }

  quads(node: Term): readonly Quad[] {
    return this.#bySubject.get(nodeKey(node)) ?? [];
  }
}

function languageOf(term: Term): string {
  return term.termType === 'Literal' ? term.language : '';
}

export function nodeKey({ termType, value }: Term): string {
  return `${termType} ${value}`;
}

/** Reads the capabilities of one component from the nodes of a graph; what is wrong with them shows when they are checked. */
export class CapabilityReader {
  /** The nodes that have been read. */
  readonly visited = new Set<string>();
  readonly #nodes: GraphNodes;
  readonly #own: string;
  #left = MOST_NODES;

  /** @param own the namespace of the vocabulary */
  constructor(nodes: GraphNodes, own: string) {
    this.#nodes = nodes;
    this.#own = own;
  }

  /** The capabilities that an object of `ac:capability` stands for: one, or as many as a literal of JSON holds. */
  read(object: Term): unknown[] {
    const read = this.#node(object, 'capability');
    return (Array.isArray(read) ? read : [read]).map((one) => canonicalCapability(one, this.#own));
  }

  #node(term: Term, kind: string): unknown {
    if (term.termType === 'Literal') return term.datatype.value === RDF_JSON ? json(term.value) : term.value;
    const node: JsonObject = this.#begin(term);
    if (this.#left <= 0) return node;
    for (const member of membersOf(kind, this.#own)) {
      const terms = this.#nodes.values(term, member.iri, ...(member.also ?? []));
      const isNone = member.key === 'invocation' && terms.some(({ value }) => value === NO_INVOCATION);
      const values = isNone ? [] : terms.map((one) => this.#value(one, member));
      if (values.length > 0 || isNone) node[member.key] = member.isList ? values : soleOf(values, member);
    }
    // A module may be named by its address alone.
    if (kind === 'module' && term.termType === 'NamedNode' && !isPart(term.value)) node.uri ??= term.value;
    return node;
  }

  /** Counts a node, and says what its author calls it. */
  #begin(term: Term): JsonObject {
    this.#left -= 1;
    this.visited.add(nodeKey(term));
    const [known] = isPart(term.value) ? this.#nodes.values(term, KNOWN_AS) : [term];
    return known?.termType === 'NamedNode' ? { id: known.value } : {};
  }

  #value(term: Term, { is }: Member): unknown {
    if (is === 'json') return json(term.value);
    if (is === 'text' || is === 'iri' || is === 'name') return term.value;
    return is === 'other' ? this.#invocation(term) : this.#node(term, is);
  }

  #invocation(term: Term): unknown {
    const types = this.#nodes.values(term, RDF_TYPE).map(({ value }) => value);
    const kind = this.#kindOf(term, types);
    if (kind !== undefined) return { ...(this.#node(term, kind) as JsonObject), type: kind };
    const [type, ...others] = types.filter((one) => one !== ABSTRACT_INVOCATION).sort(compareText);
    const { id } = this.#begin(term);
    const said = this.#left > 0 ? this.#values(term, CAPABILITY_LIMITS.depth) : {};
    delete said['@type'];
    return {
      ...(id === undefined ? {} : { id }),
      type: type ?? ABSTRACT_INVOCATION,
      ...said,
      ...(others.length > 0 ? { '@type': others } : {}),
    };
  }

  #kindOf(term: Term, types: readonly string[]): string | undefined {
    const known = Object.values(KINDS).find((kind) =>
      types.some((type) => nameOfIri(type, this.#own) === kind),
    );
    if (known) return known;
    const isTemplate = types.every((type) => type === ABSTRACT_INVOCATION || type === IRI_TEMPLATE);
    const [template] = membersOf(KINDS.template, this.#own);
    return isTemplate &&
      template &&
      this.#nodes.values(term, template.iri, ...(template.also ?? [])).length > 0
      ? KINDS.template
      : undefined;
  }

  /** Everything that is said of a node of which nothing is known, with the nodes in it that have no names of their own. */
  #values(term: Term, depth: number): JsonObject {
    const node: Record<string, unknown[]> = {};
    for (const { predicate, object } of this.#nodes.quads(term)) {
      const key = predicate.value === RDF_TYPE ? '@type' : predicate.value;
      if (key === KNOWN_AS && isPart(term.value)) continue;
      const values = node[key] ?? [];
      node[key] = values;
      if (values.length > LIMITS.values) continue;
      values.push(key === '@type' ? object.value : this.#graphValue(object, depth));
    }
    return node;
  }

  #graphValue(term: Term, depth: number): unknown {
    if (term.termType === 'Literal') return literalValue(term.value, term.language, term.datatype.value);
    if (term.termType === 'NamedNode' && !isPart(term.value)) return { '@id': term.value };
    this.#begin(term);
    return depth > 0 && this.#left > 0 ? this.#values(term, depth - 1) : {};
  }
}

const PLAIN = 'http://www.w3.org/2001/XMLSchema#string';

function literalValue(value: string, language: string, datatype: string): unknown {
  if (language !== '') return { '@value': value, '@language': language };
  return datatype === PLAIN ? value : { '@value': value, '@type': datatype };
}

/** Texts for people may come in several languages. */
function soleOf(values: readonly unknown[], { key }: Member): unknown {
  return values.length === 1 || key === 'summary' ? values[0] : values;
}

/** What is no JSON stays a text, which no rule takes. */
function json(text: string): unknown {
  return jsonValue(text) ?? text;
}
