import { type Fault, pointerTo } from '../../lib/faults.js';
import { canonicalCapability, isObject } from '../canonical-capability.js';
import { FIELDS, fieldsByName, type PlainField } from '../fields.js';
import type { Naming } from '../naming.js';
import { shapeIri } from '../shape-names.js';
import { PROV, type Vocabulary } from '../vocabulary.js';
import { addClaim, type Checked, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import { type Described, DescribedSoFar } from './described.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What an object says under plain names, and what under the vocabulary's. */
interface GivenTwice {
  readonly plain: Claims;
  readonly terms: Claims;
}

/** How an object is read, and where it stands in the body. */
interface Reading {
  readonly vocabulary: Vocabulary;
  readonly base: string | undefined;
  readonly isPosted: boolean;
  readonly path: readonly PropertyKey[];
}

/** After so many faults the rest of a posted body is not looked at: what is wrong is clear, and each fault takes time to tell. */
export const MOST_FAULTS = 100;

/**
 * Reads the components of a request body, which is parsed JSON: an object or an array of them, with plain names,
 * with the listing's keys, or with both as `GET /component` answers; then they must agree. Unknown fields are faults.
 * `unnamed` counts what was not looked at after `MOST_FAULTS`.
 */
export function describedInPostedJson(body: unknown, { baseUrl, vocabulary }: Naming): Described {
  return describedIn(body, { vocabulary, base: `${baseUrl}/c/`, isPosted: true });
}

/**
 * Reads the components of a JSON document that somebody else published. Invalid descriptions are set apart, and
 * unknown fields are ignored: they may belong to a later version of the specification.
 */
export function describedInJson(body: unknown, vocabulary: Vocabulary, base?: string): Described {
  return describedIn(body, { vocabulary, base, isPosted: false });
}

function describedIn(body: unknown, reading: Omit<Reading, 'path'>): Described {
  const described = new DescribedSoFar();
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  let found = 0;
  for (const [i, object] of objects.entries()) {
    if (reading.isPosted && found >= MOST_FAULTS) return described.result(objects.length - i);
    const { subject = `#${i}`, ...checked } = checkObject(object, {
      ...reading,
      path: Array.isArray(body) ? [i] : [],
    });
    described.add(subject, checked);
    found += (checked.faults ?? checked.leftOut).length;
  }
  return described.result();
}

/** `subject`: the uri, as far as there is one. */
function checkObject(object: unknown, reading: Reading): Checked & { readonly subject?: string } {
  const { vocabulary, base, isPosted, path } = reading;
  if (!isObject(object))
    return { faults: [{ pointer: pointerTo(path), detail: 'must be an object of component metadata' }] };
  const given: GivenTwice = {
    plain: { ...claimsUnder(PLAIN_NAMES, object, base), ...capabilitiesIn(object, vocabulary) },
    terms: claimsUnder(vocabulary.fields, object, base),
  };
  const claims: Claims = { ...given.terms, ...given.plain };
  // For the uri, its address counts where nothing else says it.
  if (!claims.uri && object['@id'] !== undefined)
    addClaim(claims, 'uri', { value: uriInAddress(object['@id'], base), path: ['@id'] });
  const checked = checkMetadata(claims, path);
  const further = isPosted ? faultsOfAuthor(object, given, reading) : [];
  const uri = claims.uri?.[0]?.value;
  const subject = uri === undefined ? {} : { subject: String(uri) };
  if (further.length === 0) return { ...checked, ...subject };
  return { faults: [...further, ...(checked.faults ?? [])], ...subject };
}

/** The values of fields under some of the keys that an object may have. */
function claimsUnder(
  names: ReadonlyMap<string, PlainField>,
  object: JsonObject,
  base: string | undefined,
): Claims {
  const claims: Claims = {};
  for (const key of Object.keys(object)) {
    const field = names.get(key);
    if (!field) continue;
    for (const one of valuesIn(object[key], [key]))
      addClaim(claims, field, field === 'uri' ? { ...one, value: withoutBase(one.value, base) } : one);
  }
  return claims;
}

/** Capabilities stand under their plain name only: under the draft's they would be RDF, which is read as that. */
function capabilitiesIn({ capability }: JsonObject, { namespace }: Vocabulary): Claims {
  const values = [capability ?? []].flat();
  if (values.length === 0) return {};
  return {
    capability: values.map((value, i) => ({
      value: canonicalCapability(value, namespace),
      path: Array.isArray(capability) ? ['capability', i] : ['capability'],
    })),
  };
}

/** What is wrong with an object for who posts it, beside what breaks the rules for metadata. */
function faultsOfAuthor(object: JsonObject, given: GivenTwice, { vocabulary, path }: Reading): Fault[] {
  const { plain, terms } = given;
  const fault = (at: readonly PropertyKey[], detail: string): Fault => ({
    pointer: pointerTo([...path, ...at]),
    detail,
  });
  const unknown = Object.keys(object).filter((key) => !isKnown(key, vocabulary));
  const differing = FIELDS.flatMap((field) => {
    const key = terms[field]?.[0]?.path[0];
    return key === undefined || !plain[field] || textsOf(plain[field]) === textsOf(terms[field])
      ? []
      : { field, key };
  });
  // As IRIs they would be stored, and found by no query.
  const prefixed = [...(plain.shapes ?? []), ...(terms.shapes ?? [])].filter(
    ({ value }) => typeof value === 'string' && shapeIri(value) !== value,
  );
  return [
    ...unknown
      .slice(0, MOST_FAULTS)
      .map((key) =>
        fault(
          [key],
          `unknown field; there are ${FIELDS.join(', ')}, also with ${vocabulary.namespace} in front`,
        ),
      ),
    // Nothing tells which of the two is right.
    ...differing.map(({ field, key }) => fault([key], `says something else than "${field}"`)),
    ...prefixed.map(({ value, path: at }) => fault(at, `write the whole IRI: ${shapeIri(String(value))}`)),
  ];
}

/** The same text for the same set of values. */
function textsOf(claims: readonly Claim[] = []): string {
  return JSON.stringify([...new Set(claims.map(({ value }) => String(value)))].sort());
}

/** What a node says of a description, and never takes from who posts it. */
const SAID_BY_NODES: readonly string[] = ['source', 'since', 'pin'];

/** Also what `GET /component` answers beside the metadata: it is passed over, so that an answer can be posted again. */
function isKnown(key: string, { fields, attribution }: Vocabulary): boolean {
  if (key.startsWith('@') || key === 'capability' || PLAIN_NAMES.has(key) || fields.has(key)) return true;
  return [...SAID_BY_NODES, ...Object.values(PROV), ...Object.values(attribution)].includes(key);
}

/**
 * The values under one key. They may stand alone or in an array, as they are or as JSON-LD writes them (`@value`,
 * `@id`); null stands for no value. An array within the array is a value, which the rules for metadata refuse.
 */
function valuesIn(value: unknown, path: readonly PropertyKey[]): Claim[] {
  if (Array.isArray(value))
    return value.flatMap((item, i) =>
      Array.isArray(item) ? [{ value: item, path: [...path, i] }] : valuesIn(item, [...path, i]),
    );
  if (value === null || value === undefined) return [];
  const wrapped = isObject(value) ? (value['@value'] ?? value['@id']) : undefined;
  return [{ value: wrapped ?? value, path }];
}

const PLAIN_NAMES = fieldsByName((name) => name);
