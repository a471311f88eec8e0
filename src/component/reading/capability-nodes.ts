import type { Quad, Term } from '@rdfjs/types';
import { compareText } from '../../lib/compare-text.js';
import { jsonValue } from '../../lib/json.js';
import { canonicalCapability } from '../canonical-capability.js';
import { KINDS } from '../capability.js';
import {
  KNOWN_AS,
  type Member,
  membersOf,
  NO_INVOCATION,
  type NodeKind,
  nameOfIri,
  RDF_JSON,
} from '../capability-terms.js';
import { isPart, partIndex } from '../part-iri.js';
import { LIMITS } from '../values.js';
import { AC, RDF_TYPE } from '../vocabulary.js';

type JsonObject = Record<string, unknown>;

/** Nodes that are read for one component: nodes that refer to one another could be read without an end. */
const MOST_NODES = 5_000;

const SOURCE = [KNOWN_AS];
const TYPE = [RDF_TYPE];

/** The quads of a graph by their subjects: nodes that capabilities may consist of. */
export class GraphNodes {
  readonly #bySubject = new Map<string, Quad[]>();
  /** Values that have been read, by the quads of a node and by the list of predicates, which is the same object each time. */
  readonly #read = new Map<readonly Quad[], Map<readonly string[], readonly Term[]>>();

  add(quad: Quad): void {
    const key = nodeKey(quad.subject);
    const quads = this.#bySubject.get(key) ?? [];
    this.#bySubject.set(key, quads);
    quads.push(quad);
    this.#read.delete(quads);
  }

  /** The values that a node has under one of some predicates, in their order where it is known; the first ones of very many. */
  values(node: Term, predicates: readonly string[]): readonly Term[] {
    const quads = this.#bySubject.get(nodeKey(node));
    if (!quads) return [];
    const read = this.#read.get(quads) ?? new Map<readonly string[], readonly Term[]>();
    this.#read.set(quads, read);
    const values = read.get(predicates) ?? valuesOf(quads, predicates);
    read.set(predicates, values);
    return values;
  }
}

function valuesOf(quads: readonly Quad[], predicates: readonly string[]): Term[] {
  const found = quads.filter(({ predicate }) => predicates.includes(predicate.value));
  const keyOf = (term: Term) => `${nodeKey(term)} ${'language' in term ? term.language : ''}`;
  const values = new Map(found.map(({ object }) => [keyOf(object), object]));
  return [...values.values()]
    .sort((one, other) => partIndex(one.value) - partIndex(other.value))
    .slice(0, LIMITS.values + 1);
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
    return [this.#node(object, 'capability')].flat().map((one) => canonicalCapability(one, this.#own));
  }

  #node(term: Term, kind: NodeKind): unknown {
    if (term.termType === 'Literal') return term.datatype.value === RDF_JSON ? json(term.value) : term.value;
    const node = this.#begin(term);
    if (this.#left <= 0) return node;
    for (const member of membersOf(kind, this.#own)) {
      const terms = this.#nodes.values(term, member.iris);
      const isNone = member.is === 'invocation' && terms.some(({ value }) => value === NO_INVOCATION);
      const values = isNone ? [] : terms.map((one) => this.#value(one, member));
      if (values.length > 0 || isNone) node[member.key] = member.isList ? values : soleOf(values, member);
    }
    // A module may be named by its address alone.
    if (kind === 'module' && term.termType === 'NamedNode' && !isPart(term.value)) node.uri ??= term.value;
    return node;
  }

  /** Counts a node, and says what its author calls it: of several sources none is its name, in whatever order they come. */
  #begin(term: Term): JsonObject {
    this.#left -= 1;
    this.visited.add(nodeKey(term));
    const isNamed = term.termType === 'NamedNode' && !isPart(term.value);
    const [known, ...others] = isNamed ? [term] : this.#nodes.values(term, SOURCE);
    return known?.termType === 'NamedNode' && others.length === 0 ? { id: known.value } : {};
  }

  #value(term: Term, { is }: Member): unknown {
    if (is === 'json') return json(term.value);
    if (is === 'text' || is === 'iri' || is === 'name') return term.value;
    if (is !== 'invocation') return this.#node(term, is);
    const types = this.#nodes.values(term, TYPE).map(({ value }) => value);
    const kind = Object.values(KINDS).find((one) => types.some((type) => nameOfIri(type, this.#own) === one));
    if (kind !== undefined) return { ...(this.#node(term, kind) as JsonObject), type: kind };
    // Invocations of other kinds are left out; the first type says which one it was.
    const [type = `${AC}Invocation`] = types.sort(compareText);
    return { ...this.#begin(term), type };
  }
}

/** Texts for people may come in several languages. */
function soleOf(values: readonly unknown[], { key }: Member): unknown {
  return values.length === 1 || key === 'summary' ? values[0] : values;
}

/** What is no JSON stays a text, which no rule takes. */
function json(text: string): unknown {
  return jsonValue(text) ?? text;
}
