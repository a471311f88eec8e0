import nodes from './capability-nodes.json' with { type: 'json' };
import { AC, AS, DCT, DCT_SOURCE, RDF } from './vocabulary.js';

// Terms of Application Capability (draft report of 2026-08-17, https://dokieli.github.io/application-capability/), and those
// that it takes from others.
export const ODRL = 'http://www.w3.org/ns/odrl/2/';
export const HYDRA = 'http://www.w3.org/ns/hydra/core#';

/** The prefixes of the draft, which names may have. */
export const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['ac', AC],
  ['as', AS],
  ['dpv', 'https://w3id.org/dpv#'],
  ['hydra', HYDRA],
  ['ldp', 'http://www.w3.org/ns/ldp#'],
  ['oa', 'http://www.w3.org/ns/oa#'],
  ['odrl', ODRL],
]);

/** A node that is written as a blank one, or under a name of ours, says by this which name its author has given it. */
export const KNOWN_AS = DCT_SOURCE;
/** In place of a list of invocations: there is none. */
export const NO_INVOCATION = `${RDF}nil`;
/** The type of literals that hold JSON (JSON-LD 1.1, section 10.2). */
export const RDF_JSON = `${RDF}JSON`;
/** The meanings of variables that this vocabulary has names for (design, section 16). */
export const MEANINGS: readonly string[] = ['data', 'shapes', 'shapesUrl', 'subject', 'shapeSubject'];

/** The IRI that a name stands for; `own`: the namespace of the vocabulary. */
export function iriOfName(name: string, own: string): string {
  const [prefix = '', local] = name.split(':', 2);
  // The draft's own kind of invocation has a plain name in its context.
  if (local === undefined) return (name === 'UriTemplateInvocation' ? AC : own) + name;
  const namespace = PREFIXES.get(prefix);
  return namespace === undefined ? name : namespace + name.slice(prefix.length + 1);
}

/** The name of an IRI in JSON: `odrl:` and `ac:` names, plain ones of the vocabulary, others as they are. */
export function nameOfIri(iri: string, own: string): string {
  for (const [begins, namespace] of Object.entries({ 'odrl:': ODRL, 'ac:': AC, '': own })) {
    const local = iri.startsWith(namespace) ? iri.slice(namespace.length) : '';
    if (/^[a-z][\w-]*$/i.test(local)) return begins + local;
  }
  return iri;
}

/** Nodes that a description of capabilities consists of: capabilities, invocations by their kinds, and parts of these. */
export type NodeKind = keyof typeof nodes;

/** A member of a node, in JSON and in RDF. */
export interface Member {
  readonly key: string;
  /** A text, an IRI, an IRI that has a name, JSON, nodes of a kind, or invocations of any kind. */
  readonly is: 'text' | 'iri' | 'name' | 'json' | 'invocation' | NodeKind;
  readonly isList: boolean;
  /** Is an empty list written where there is none? */
  readonly isNeeded: boolean;
  /** Its predicate, and behind it those that are read, too. */
  readonly iris: readonly string[];
}

const known = new Map<string, readonly Member[]>();

/** The members of a node of a kind, in the order in which the canonical form has them; `own`: the namespace of the vocabulary. */
export function membersOf(kind: NodeKind, own: string): readonly Member[] {
  const key = `${kind} ${own}`;
  const members =
    known.get(key) ?? Object.entries(nodes[kind]).map(([name, row]) => memberOf(name, row, own));
  known.set(key, members);
  return members;
}

/**
 * Reads a row of `capability-nodes.json`: what a value is (`*`: a list, `+`: a list that is needed), and its predicates. The predicates
 * of modules are not those of components: nodes of earlier versions would take a module for a component.
 */
function memberOf(key: string, row: string, own: string): Member {
  const [, is, count, predicates = ''] = /^(\w+)([*+]?) (.*)$/.exec(row) ?? [];
  const namespaces = new Map([...PREFIXES, ['dct', DCT], ['own', own]]);
  const iris = predicates
    .split(' ')
    .map((name) => name.replace(/^(\w+):/, (_, prefix) => namespaces.get(prefix) ?? ''));
  return { key, is: is as Member['is'], isList: count !== '', isNeeded: count === '+', iris };
}

/** The terms of this vocabulary for capabilities. */
export function ownTerms(own: string): string[] {
  const kinds = Object.keys(nodes) as NodeKind[];
  const predicates = kinds.flatMap((kind) => membersOf(kind, own)).flatMap(({ iris }) => iris);
  const names = [...MEANINGS, 'ElementInvocation', 'FragmentInvocation'].map((name) => own + name);
  return [...new Set([...predicates.filter((iri) => iri.startsWith(own)), ...names])];
}
