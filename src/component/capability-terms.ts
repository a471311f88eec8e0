import { AC, DCT_SOURCE } from './vocabulary.js';

// Terms of Application Capability (draft report of 2026-08-17, https://dokieli.github.io/application-capability/), and those
// that it takes from others; the members of its nodes are in capability.ts.
export const ODRL = 'http://www.w3.org/ns/odrl/2/';
export const HYDRA = 'http://www.w3.org/ns/hydra/core#';

/** The prefixes of the draft, which names may have. */
export const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['ac', AC],
  ['as', 'https://www.w3.org/ns/activitystreams#'],
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

/** The meanings of variables that this vocabulary has names for (design, section 16). */
export const MEANINGS: readonly string[] = ['data', 'shapes', 'shapesUrl', 'subject', 'shapeSubject'];

/** The node of ours that stands for one without a name says under which name others know it. */
export const KNOWN_AS = DCT_SOURCE;
/** In place of a list of invocations: there is none. */
export const NO_INVOCATION = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#nil';
/** The type of literals that hold JSON (JSON-LD 1.1, section 10.2). */
export const RDF_JSON = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON';
/** The type of invocations of any kind, which names none. */
export const ABSTRACT_INVOCATION = `${AC}Invocation`;
/** The type of URI templates in hydra. */
export const IRI_TEMPLATE = `${HYDRA}IriTemplate`;
