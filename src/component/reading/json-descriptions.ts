import { type Fault, pointerTo } from '../../lib/faults.js';
import { canonicalCapability, isObject, type JsonObject } from '../canonical-capability.js';
import { FIELDS, fieldsByName, PLAIN_FIELDS, type PlainField } from '../fields.js';
import { componentAddress, type Naming } from '../naming.js';
import { shapeIri } from '../shape-names.js';
import { PROV, type Vocabulary } from '../vocabulary.js';
import { addClaim, type Checked, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import { addDescription, type Described, nothingDescribed } from './described.js';

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
  return describedIn(body, { vocabulary, base: componentAddress(baseUrl, ''), isPosted: true });
}

/**
 * Reads the components of a JSON document that somebody else published. Invalid descriptions are set apart, and
 * unknown fields are ignored: they may belong to a later version of the specification.
 */
export function describedInJson(body: unknown, vocabulary: Vocabulary, base?: string): Described {
  return describedIn(body, { vocabulary, base, isPosted: false });
}

function describedIn(body: unknown, reading: Omit<Reading, 'path'>): Described {
  const described = nothingDescribed();
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  let found = 0;
  for (const [i, object] of objects.entries()) {
    if (reading.isPosted && found >= MOST_FAULTS) {
      described.unnamed += objects.length - i;
      break;
    }
    const checked = checkObject(object, { ...reading, path: Array.isArray(body) ? [i] : [] });
    addDescription(described, checked.subject ?? `#${i}`, checked);
    found += checked.faults.length;
  }
  return described;
}

/** `subject`: the uri, as far as there is one. */
function checkObject(object: unknown, reading: Reading): Checked & { readonly subject?: string | undefined } {
  const { vocabulary, base, isPosted, path } = reading;
  if (!isObject(object))
    return { faults: [{ pointer: pointerTo(path), detail: 'must be an object of component metadata' }] };
  const terms = claimsUnder(vocabulary.fields, object, base);
  const plain = claimsUnder(PLAIN_NAMES, object, base);
  const claims: Claims = { ...terms, ...plain, ...capabilitiesIn(object, vocabulary) };
  // For the uri, its address counts where nothing else says it.
  if (!claims.uri && object['@id'] !== undefined)
    addClaim(claims, 'uri', { value: uriInAddress(object['@id'], base), path: ['@id'] });
  const checked = checkMetadata(claims, path);
  const more = isPosted
    ? [
        ...unknownFields(object, reading),
        ...differences(plain, terms, path),
        ...prefixedShapes(claims.shapes, path),
      ]
    : [];
  const uri = claims.uri?.[0]?.value;
  const subject = uri === undefined ? undefined : String(uri);
  return more.length === 0 ? { ...checked, subject } : { faults: [...more, ...checked.faults], subject };
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

/** What a node says of a description, and never takes from who posts it. */
const SAID_BY_NODES: readonly string[] = ['source', 'since', 'pin', ...Object.values(PROV)];

/** What else `GET /component` answers is passed over, so that an answer can be posted again. */
function unknownFields(object: JsonObject, { vocabulary, path }: Reading): Fault[] {
  const { namespace, fields, attribution } = vocabulary;
  const isKnown = (key: string) => key.startsWith('@') || PLAIN_NAMES.has(key) || fields.has(key);
  const others = ['capability', ...SAID_BY_NODES, ...Object.values(attribution)];
  const detail = `unknown field; there are ${FIELDS.join(', ')}, also with ${namespace} in front`;
  return Object.keys(object)
    .filter((key) => !isKnown(key) && !others.includes(key))
    .slice(0, MOST_FAULTS)
    .map((key) => ({ pointer: pointerTo([...path, key]), detail }));
}

/** Fields that say something else under their plain name than under the vocabulary's: nothing tells which is right. */
function differences(plain: Claims, terms: Claims, path: readonly PropertyKey[]): Fault[] {
  const textOf = (claims: readonly Claim[] = []) =>
    JSON.stringify([...new Set(claims.map(({ value }) => String(value)))].sort());
  return PLAIN_FIELDS.flatMap((field) => {
    const key = terms[field]?.[0]?.path[0];
    if (key === undefined || !plain[field] || textOf(plain[field]) === textOf(terms[field])) return [];
    return { pointer: pointerTo([...path, key]), detail: `says something else than "${field}"` };
  });
}

/** Prefixed names look like IRIs. They would be stored as such, and found by no query, since queries expand them. */
function prefixedShapes(shapes: readonly Claim[] = [], path: readonly PropertyKey[]): Fault[] {
  return shapes.flatMap(({ value, path: at }) => {
    const iri = typeof value === 'string' ? shapeIri(value) : value;
    return iri === value
      ? []
      : { pointer: pointerTo([...path, ...at]), detail: `write the whole IRI: ${iri}` };
  });
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
