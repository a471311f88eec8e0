import type { Quad, Quad_Graph, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { type Fault, InvalidInput, pointerTo } from '../lib/faults.js';
import {
  type Claim,
  type Claims,
  checkMetadata,
  claim,
  FIELDS,
  type Field,
  LIMITS,
  type Metadata,
} from './metadata.js';
import { RDF_TYPE, type Vocabulary, XSD_BOOLEAN } from './vocabulary.js';

const { namedNode, literal, quad, defaultGraph } = DataFactory;

/** Fields whose values are IRIs; the values of the others are text. */
const IRI_FIELDS: readonly Field[] = ['uri', 'shapes'];

/** What the addresses in representations depend on. */
export interface Naming {
  /** Public URL of the node, without a trailing slash. */
  readonly baseUrl: string;
  readonly vocabulary: Vocabulary;
}

/** The address of a component on a node: its component base path followed by the uri (specification, JSON listing). */
export function componentAddress(baseUrl: string, uri: string): string {
  return `${baseUrl}/c/${uri}`;
}

/** A component in a JSON listing under the keys of the specification, where even text stands under `@id`. */
export function specificationObject(
  component: Metadata,
  { baseUrl, vocabulary }: Naming,
): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@id': componentAddress(baseUrl, component.uri),
    '@type': [vocabulary.component],
  };
  for (const [field, values] of valuesOf(component)) {
    object[vocabulary.predicates[field]] =
      field === 'latest'
        ? values.map((value) => ({ '@value': value, '@type': XSD_BOOLEAN }))
        : values.map((value) => ({ '@id': value }));
  }
  return object;
}

/** A component as expanded JSON-LD (JSON-LD 1.1, section 4): text is a value, IRIs are nodes. */
export function jsonLdObject(component: Metadata, { baseUrl, vocabulary }: Naming): Record<string, unknown> {
  const object: Record<string, unknown> = {
    '@id': componentAddress(baseUrl, component.uri),
    '@type': [vocabulary.component],
  };
  for (const [field, values] of valuesOf(component)) {
    object[vocabulary.predicates[field]] = values.map((value) => {
      if (IRI_FIELDS.includes(field)) return { '@id': value };
      return field === 'latest' ? { '@value': value, '@type': XSD_BOOLEAN } : { '@value': value };
    });
  }
  return object;
}

/** A component as quads about `subject`: its class and one statement per value. */
export function metadataToQuads(
  component: Metadata,
  vocabulary: Vocabulary,
  subject = component.uri,
  graph: Quad_Graph = defaultGraph(),
): Quad[] {
  const about = namedNode(subject);
  const quads: Quad[] = [quad(about, namedNode(RDF_TYPE), namedNode(vocabulary.component), graph)];
  for (const [field, values] of valuesOf(component)) {
    const predicate = namedNode(vocabulary.predicates[field]);
    for (const value of values) quads.push(quad(about, predicate, termOf(field, value), graph));
  }
  return quads;
}

/** A description in a graph that breaks a rule, with the subject it is about. */
export interface InvalidDescription {
  readonly subject: string;
  readonly faults: readonly Fault[];
}

export interface Described {
  readonly components: Metadata[];
  readonly invalid: InvalidDescription[];
  /** How many more descriptions are invalid than are named; absent when none are. */
  readonly unnamed?: number;
}

/** Invalid descriptions that are named, of one document: enough to see what is wrong with it. */
const NAMED_INVALID = 100;

/**
 * Finds the components that a graph describes: every subject with a term of the vocabulary. A subject
 * without a uri is itself the uri, without `base` in front (the `/c/` address of a node, for instance).
 * Broken descriptions are set apart; they hide no other. Pointers are `/<place>/<field>`.
 */
export function componentsFromQuads(quads: Iterable<Quad>, vocabulary: Vocabulary, base?: string): Described {
  const descriptions = new Descriptions(vocabulary, base);
  for (const quad of quads) descriptions.add(quad);
  return descriptions.read();
}

/** The descriptions of components in a graph whose quads come one by one, in any order. */
export class Descriptions {
  readonly #vocabulary: Vocabulary;
  readonly #base: string | undefined;
  readonly #bySubject = new Map<string, Description>();
  #last: Description | undefined;

  constructor(vocabulary: Vocabulary, base?: string) {
    this.#vocabulary = vocabulary;
    this.#base = base;
  }

  add({ subject, predicate, object }: Quad): void {
    const said = predicate.value;
    const field = this.#vocabulary.fields.get(said);
    if (!field && (said !== RDF_TYPE || object.value !== this.#vocabulary.component)) return;
    const { claims } = this.#descriptionOf(subject);
    if (field) claim(claims, field, claimOf(object, field, this.#base));
  }

  /** What they amount to when all quads have come. */
  read(): Described {
    const components: Metadata[] = [];
    const invalid: InvalidDescription[] = [];
    let place = 0;
    for (const [uri, claims] of byUri(this.#bySubject.values(), this.#base)) {
      const { metadata, faults } = checkMetadata(claims, [place]);
      if (metadata) components.push(metadata);
      else if (invalid.length < NAMED_INVALID) invalid.push({ subject: uri.slice(0, LIMITS.uri), faults });
      place += 1;
    }
    const unnamed = place - components.length - invalid.length;
    return { components, invalid, ...(unnamed === 0 ? {} : { unnamed }) };
  }

  /** Most often it is the one that the quad before was about. */
  #descriptionOf(subject: Term): Description {
    const last = this.#last;
    if (last?.subject.value === subject.value && last.subject.termType === subject.termType) return last;
    const key = `${subject.termType} ${subject.value}`;
    const description = this.#bySubject.get(key) ?? { subject, claims: {} };
    this.#bySubject.set(key, description);
    this.#last = description;
    return description;
  }
}

interface Description {
  readonly subject: Term;
  readonly claims: Claims;
}

/**
 * Reads the components of a parsed JSON body: an object or an array of them, with plain names, with the
 * listing's keys, or with both as `GET /component` answers (the plain names are then believed).
 * @throws InvalidInput with a pointer for everything that is wrong in any of them, unknown fields included
 */
export function componentsFromJson(body: unknown, { baseUrl, vocabulary }: Naming): Metadata[] {
  const { components, invalid } = describedInJson(body, vocabulary, `${baseUrl}/c/`, 'refuse unknown');
  const faults = invalid.flatMap((description) => description.faults);
  if (faults.length > 0) throw new InvalidInput('The component metadata is not valid', faults);
  return components;
}

/** The same for what others publish: broken descriptions are set apart, and fields nobody knows are passed over. */
export function describedInJson(
  body: unknown,
  vocabulary: Vocabulary,
  base?: string,
  unknown: 'refuse unknown' | 'ignore unknown' = 'ignore unknown',
): Described {
  const described: Described = { components: [], invalid: [] };
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  objects.forEach((object, i) => {
    const path = Array.isArray(body) ? [i] : [];
    if (!isObject(object)) {
      const detail = 'must be an object of component metadata';
      described.invalid.push({ subject: `#${i}`, faults: [{ pointer: pointerTo(path), detail }] });
      return;
    }
    const claims = claimsOfObject(object, vocabulary, base);
    const checked = checkMetadata(claims, path);
    const faults = [
      ...(unknown === 'refuse unknown' ? unknownFields(object, vocabulary, path) : []),
      ...(checked.faults ?? []),
    ];
    if (checked.metadata && faults.length === 0) described.components.push(checked.metadata);
    else described.invalid.push({ subject: subjectOf(claims, i), faults });
  });
  return described;
}

function subjectOf({ uri }: Claims, place: number): string {
  return String(uri?.[0]?.value ?? `#${place}`).slice(0, LIMITS.uri);
}

function claimsOfObject(
  object: Record<string, unknown>,
  vocabulary: Vocabulary,
  base: string | undefined,
): Claims {
  const claims: Claims = {};
  const read = (field: Field, key: string) => {
    for (const found of valuesIn(object[key], [key])) {
      claim(claims, field, field === 'uri' ? { ...found, value: withoutBase(found.value, base) } : found);
    }
  };
  const keys = Object.keys(object);
  for (const key of keys) {
    const field = PLAIN_FIELDS.get(key);
    if (field) read(field, key);
  }
  const told = new Set(Object.keys(claims));
  for (const key of keys) {
    const field = vocabulary.fields.get(key);
    if (field && !told.has(field)) read(field, key);
  }
  if (!claims.uri && object['@id'] !== undefined) {
    claim(claims, 'uri', { value: withoutBase(object['@id'], base), path: ['@id'] });
  }
  return claims;
}

function unknownFields(object: object, vocabulary: Vocabulary, path: readonly PropertyKey[]): Fault[] {
  return Object.keys(object)
    .filter((key) => !key.startsWith('@') && !PLAIN_FIELDS.has(key) && !vocabulary.fields.has(key))
    .map((key) => ({
      pointer: pointerTo([...path, key]),
      detail: `unknown field; there are ${FIELDS.join(', ')}, also with ${vocabulary.namespace} in front`,
    }));
}

/** A value in JSON may stand alone, in an array, or in one of JSON-LD's wrappings; null says nothing. */
function* valuesIn(value: unknown, path: readonly PropertyKey[]): Generator<Claim> {
  if (!Array.isArray(value)) yield* singleValue(value, path);
  else {
    for (const [i, item] of value.entries()) {
      if (Array.isArray(item)) yield { value: item, path: [...path, i] };
      else yield* singleValue(item, [...path, i]);
    }
  }
}

function* singleValue(value: unknown, path: readonly PropertyKey[]): Generator<Claim> {
  if (value === null || value === undefined) return;
  const wrapped = isObject(value) ? (value['@value'] ?? value['@id']) : undefined;
  yield { value: wrapped === undefined ? value : wrapped, path };
}

const PLAIN_FIELDS = new Map<string, Field>([
  ...FIELDS.map((field): [string, Field] => [field, field]),
  ['shape', 'shapes'],
]);
/** The fields that have values, each with its values as text, in the order of `FIELDS`. */
function* valuesOf(component: Metadata): Generator<[Field, readonly string[]]> {
  for (const field of FIELDS) {
    const value = component[field];
    if (value === undefined || (typeof value === 'object' && value.length === 0)) continue;
    yield [field, typeof value === 'object' ? value : [String(value)]];
  }
}

function termOf(field: Field, value: string) {
  if (IRI_FIELDS.includes(field)) return namedNode(value);
  return field === 'latest' ? literal(value, namedNode(XSD_BOOLEAN)) : literal(value);
}

/** A claim of a graph stands in its field. */
const PATHS = Object.fromEntries(FIELDS.map((field) => [field, [field]])) as unknown as Readonly<
  Record<Field, Claim['path']>
>;

/** IRIs and literals are read alike: existing pods write either. What is neither has no value. */
function claimOf(term: Term, field: Field, base: string | undefined): Claim {
  const value = term.termType === 'NamedNode' || term.termType === 'Literal' ? term.value : undefined;
  return { value: field === 'uri' ? withoutBase(value, base) : value, path: PATHS[field] };
}

/** Subjects that name the same uri describe the same component, and have to agree. */
function byUri(descriptions: Iterable<Description>, base: string | undefined): Map<string, Claims> {
  const merged = new Map<string, Claims>();
  for (const { subject, claims } of descriptions) {
    if (!claims.uri && subject.termType === 'NamedNode') {
      claims.uri = [{ value: withoutBase(subject.value, base), path: PATHS.uri }];
    }
    const uri = String(claims.uri?.[0]?.value ?? `_:${subject.value}`);
    const before = merged.get(uri);
    if (!before) merged.set(uri, claims);
    else for (const field of FIELDS) for (const value of claims[field] ?? []) claim(before, field, value);
  }
  return merged;
}

function withoutBase(value: unknown, base: string | undefined): unknown {
  return base && typeof value === 'string' && value.startsWith(base) ? value.slice(base.length) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
