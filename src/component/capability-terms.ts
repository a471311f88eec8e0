import { AC, AS, DCT, DCT_SOURCE } from './vocabulary.js';

// Terms of Application Capability (draft report of 2026-08-17, https://dokieli.github.io/application-capability/), and those
// that it takes from others. All of them stand here, because the draft moves.
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

/** What the draft's context calls otherwise than this software: its own kind of invocation has a plain name there. */
const DRAFT_NAMES: ReadonlyMap<string, string> = new Map([
  ['UriTemplateInvocation', `${AC}UriTemplateInvocation`],
]);

/** The IRI that a name stands for; `own`: the namespace of the vocabulary. */
export function iriOfName(name: string, own: string): string {
  const [prefix = '', local] = name.split(':', 2);
  if (local === undefined) return DRAFT_NAMES.get(name) ?? own + name;
  const namespace = PREFIXES.get(prefix);
  return namespace === undefined ? name : namespace + name.slice(prefix.length + 1);
}

/** The name of an IRI in JSON: `odrl:` and `ac:` names, plain ones of the vocabulary, others as they are. */
export function nameOfIri(iri: string, own: string): string {
  const short = /^[a-z][\w-]*$/i;
  for (const [begins, namespace] of [
    ['odrl:', ODRL],
    ['ac:', AC],
    ['', own],
  ] as const) {
    const local = iri.startsWith(namespace) ? iri.slice(namespace.length) : '';
    if (short.test(local)) return begins + local;
  }
  return iri;
}

/** A member of a node: its key in JSON, its predicate, and what its values are. */
export interface Member {
  readonly key: string;
  readonly iri: string;
  /** Predicates that are read, too. */
  readonly also?: readonly string[];
  /** A text, an IRI, an IRI that has a name, JSON, or nodes of a kind. */
  readonly is: 'text' | 'iri' | 'name' | 'json' | NodeKind;
  readonly isList?: boolean;
  /** Is an empty list written where there is none? */
  readonly isNeeded?: boolean;
}

export type NodeKind =
  | 'capability'
  | 'ElementInvocation'
  | 'FragmentInvocation'
  | 'ac:UriTemplateInvocation'
  | 'mapping'
  | 'write'
  | 'module'
  /** An invocation, whatever its kind. */
  | 'other';

/** A function of the namespace of the vocabulary. */
type Members = (own: string) => readonly Member[];

const mapping: Member = {
  key: 'mapping',
  iri: `${HYDRA}mapping`,
  also: [`${AC}mapping`],
  is: 'mapping',
  isList: true,
};

const NODES: Readonly<Record<NodeKind, Members>> = {
  capability: () => [
    { key: 'action', iri: `${AC}action`, is: 'name' },
    { key: 'accept', iri: `${AC}accept`, is: 'text', isList: true },
    { key: 'output', iri: `${AC}output`, is: 'text', isList: true },
    { key: 'resourceType', iri: `${AC}resourceType`, is: 'iri', isList: true },
    { key: 'shape', iri: `${AC}shape`, is: 'iri', isList: true },
    { key: 'destination', iri: `${AC}destination`, is: 'iri' },
    { key: 'summary', iri: `${AS}summary`, also: [`${DCT}title`], is: 'text' },
    { key: 'invocation', iri: `${AC}invocation`, is: 'other', isList: true },
  ],
  ElementInvocation: (own) => [
    { key: 'element', iri: `${own}element`, is: 'text' },
    { key: 'format', iri: `${own}format`, is: 'text' },
    { key: 'fixed', iri: `${own}fixed`, is: 'json' },
    { ...mapping, isNeeded: true },
    { key: 'write', iri: `${own}write`, is: 'write' },
  ],
  FragmentInvocation: (own) => [
    { key: 'fragment', iri: `${own}fragment`, is: 'text' },
    { key: 'module', iri: `${own}module`, is: 'module', isList: true, isNeeded: true },
  ],
  'ac:UriTemplateInvocation': () => [
    { key: 'template', iri: `${HYDRA}template`, also: [`${AC}template`], is: 'text' },
    mapping,
  ],
  mapping: () => [
    { key: 'variable', iri: `${HYDRA}variable`, also: [`${AC}variable`], is: 'text' },
    { key: 'property', iri: `${HYDRA}property`, also: [`${AC}property`], is: 'name' },
  ],
  write: (own) => [
    { key: 'event', iri: `${own}event`, is: 'text' },
    { key: 'method', iri: `${own}method`, is: 'text' },
    { key: 'property', iri: `${own}property`, is: 'text' },
  ],
  // Not `uri` and `integrity`: nodes of earlier versions would take that for the description of another component.
  module: (own) => [
    { key: 'uri', iri: `${own}moduleUri`, also: [`${own}uri`], is: 'iri' },
    { key: 'integrity', iri: `${own}moduleIntegrity`, also: [`${own}integrity`], is: 'text' },
  ],
  other: () => [],
};

/** The members of a node; none of an invocation of an unknown kind. */
export function membersOf(kind: string, own: string): readonly Member[] {
  return Object.hasOwn(NODES, kind) ? NODES[kind as NodeKind](own) : [];
}

/** The meanings of variables that this vocabulary has names for (design, section 16). */
export const MEANINGS: readonly string[] = ['data', 'shapes', 'shapesUrl', 'subject', 'shapeSubject'];

/** The terms of this vocabulary for capabilities, without its namespace. */
export function ownTerms(own: string): string[] {
  const all = Object.keys(NODES).flatMap((kind) => membersOf(kind, ' '));
  const terms = all.flatMap(({ iri, also = [] }) => [iri, ...also]).filter((iri) => iri.startsWith(' '));
  const names = [...terms.map((iri) => iri.slice(1)), ...MEANINGS, 'ElementInvocation', 'FragmentInvocation'];
  return [...new Set(names)].map((name) => own + name);
}

/** The node of ours that stands for one without a name says under which name others know it. */
export const KNOWN_AS = DCT_SOURCE;
/** In place of a list of invocations: there is none. */
export const NO_INVOCATION = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#nil';
/** The type of literals that hold JSON (JSON-LD 1.1, section 10.2). */
export const RDF_JSON = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON';
/** Types of invocations that name no kind. */
export const ABSTRACT_INVOCATION = `${AC}Invocation`;
/** The type of URI templates in hydra. */
export const IRI_TEMPLATE = `${HYDRA}IriTemplate`;
