import { type Field, fieldsByName, PLAIN_FIELDS, type PlainField } from './fields.js';

// All IRIs that are fixed in this software; the terms of the configurable vocabulary are below.
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const RDF_TYPE = `${RDF}type`;
export const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const XSD_BOOLEAN = `${XSD}boolean`;
export const XSD_INTEGER = `${XSD}integer`;
export const XSD_DATE_TIME = `${XSD}dateTime`;
export const XSD_DURATION = `${XSD}duration`;
/** Terms of PROV-O (https://www.w3.org/TR/prov-o/) that say where a description comes from. */
export const PROV = {
  source: 'http://www.w3.org/ns/prov#wasAttributedTo',
  document: 'http://www.w3.org/ns/prov#hadPrimarySource',
  since: 'http://www.w3.org/ns/prov#generatedAtTime',
} as const;
export const DCT = 'http://purl.org/dc/terms/';
/** Activity Streams 2.0 (W3C). */
export const AS = 'https://www.w3.org/ns/activitystreams#';
/** Application Capability (draft of 2026-08-17); its terms are in capability-terms.ts. */
export const AC = 'https://www.w3.org/ns/ac#';
/** By which applications are called in descriptions of others, the preferred one first (design, section 16). */
export const NAMES: readonly string[] = [
  `${AS}name`,
  'http://schema.org/name',
  'https://schema.org/name',
  'http://www.w3.org/2000/01/rdf-schema#label',
  `${DCT}title`,
  'http://usefulinc.com/ns/doap#name',
  'http://xmlns.com/foaf/0.1/name',
  'http://www.w3.org/ns/solid/oidc#client_name',
];
/** Collections in pages (TREE hypermedia specification). */
export const TREE = 'https://w3id.org/tree#';
/** Linked Data Event Streams (SEMIC). */
export const LDES = 'https://w3id.org/ldes#';
export const LDP_CONTAINER = 'http://www.w3.org/ns/ldp#Container';
export const LDP_BASIC_CONTAINER = 'http://www.w3.org/ns/ldp#BasicContainer';
export const LDP_CONTAINS = 'http://www.w3.org/ns/ldp#contains';
export const DCT_MODIFIED = `${DCT}modified`;
export const DCT_IS_VERSION_OF = `${DCT}isVersionOf`;
export const DCT_SOURCE = `${DCT}source`;
export const IANA_MEDIA_TYPE = 'http://www.w3.org/ns/iana/media-types/';

/** The terms of the specification under one namespace, `{vocab_base}#`. */
export interface Vocabulary {
  /** The namespace itself, ending in `#` or `/`. */
  readonly namespace: string;
  /** The class of components. */
  readonly component: string;
  readonly predicates: Readonly<Record<Field, string>>;
  /** The field of each predicate of this namespace, the singular `shape` of existing pods included. */
  readonly fields: ReadonlyMap<string, PlainField>;
  /** What the node says of the source of a description (its kind, how far it is trusted) and of the bytes that it has seen. */
  readonly attribution: Terms<typeof ATTRIBUTION>;
  /** The terms of `/peers` and `/storage` in Turtle: known addresses, their hops and their introducers. */
  readonly network: Terms<typeof NETWORK>;
  /** The terms of the change feed in RDF: what a change tells in JSON under the same names. */
  readonly feed: Terms<typeof FEED>;
}

const ATTRIBUTION = ['sourceKind', 'sourceTrust', 'pin', 'pinChanged'] as const;
const NETWORK = ['node', 'peer', 'storage', 'hops', 'via'] as const;
const FEED = ['source', 'kind', 'rank', 'position', 'cursor'] as const;

/** The IRIs of terms by their names. */
type Terms<T extends readonly string[]> = Readonly<Record<T[number], string>>;

function termsIn<T extends readonly string[]>(namespace: string, names: T): Terms<T> {
  return Object.fromEntries(names.map((name) => [name, namespace + name])) as Terms<T>;
}

/** The vocabulary below a namespace such as `http://semcom.digita.ai/voc#`. */
export function createVocabulary(namespace: string): Vocabulary {
  const own = PLAIN_FIELDS.map((field) => [field, namespace + field]);
  return {
    namespace,
    component: `${namespace}component`,
    predicates: {
      ...(Object.fromEntries(own) as Record<PlainField, string>),
      capability: `${AC}capability`,
    },
    fields: fieldsByName((name) => namespace + name),
    attribution: termsIn(namespace, ATTRIBUTION),
    network: termsIn(namespace, NETWORK),
    feed: termsIn(namespace, FEED),
  };
}
