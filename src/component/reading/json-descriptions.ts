import { type Fault, pointerTo } from '../../lib/faults.js';
import { canonicalCapability, isObject } from '../canonical-capability.js';
import { FIELDS, fieldsByName, type PlainField } from '../fields.js';
import type { Naming } from '../naming.js';
import { shapeIri } from '../shape-names.js';
import { LIMITS } from '../values.js';
import { PROV, type Vocabulary } from '../vocabulary.js';
import { addClaim, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import { type Described, type LeftOut, withLeftOut } from './described.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a service finds wrong with an object beside what breaks the rules for metadata. */
type FurtherCheck = (object: JsonObject, path: readonly PropertyKey[], given: GivenTwice) => Fault[];

/** What an object says under plain names, and what under the vocabulary's. */
interface GivenTwice {
  readonly plain: Claims;
  readonly terms: Claims;
}

/** After so many faults the rest of a body is not looked at: what is wrong is clear, and each fault takes time to tell. */
export const MOST_FAULTS = 100;

/**
 * Reads the components of a request body, which is parsed JSON: an object or an array of them, with plain names,
 * with the listing's keys, or with both as `GET /component` answers; then they must agree. Unknown fields are faults.
 * `unnamed` counts what was not looked at after `MOST_FAULTS`.
 */
export function describedInPostedJson(body: unknown, { baseUrl, vocabulary }: Naming): Described {
  const further: FurtherCheck = (object, path, given) => [
    ...faultsOfUnknownFields(object, vocabulary, path),
    ...disagreements(given, path),
    ...prefixedShapes(given, path),
  ];
  return readObjects(body, vocabulary, `${baseUrl}/c/`, { further, mostFaults: MOST_FAULTS });
}

/**
 * Reads the components of a JSON document that somebody else published. Invalid descriptions are set apart, and
 * unknown fields are ignored: they may belong to a later version of the specification.
 */
export function describedInJson(body: unknown, vocabulary: Vocabulary, base?: string): Described {
  return readObjects(body, vocabulary, base);
}

interface Strictness {
  readonly further?: FurtherCheck;
  readonly mostFaults?: number;
}

function readObjects(
  body: unknown,
  vocabulary: Vocabulary,
  base: string | undefined,
  { further = () => [], mostFaults = Number.POSITIVE_INFINITY }: Strictness = {},
): Described {
  const described: Described = { components: [], invalid: [] };
  const incomplete: LeftOut[] = [];
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  let found = 0;
  for (const [i, object] of objects.entries()) {
    if (found >= mostFaults) return { ...described, unnamed: objects.length - i };
    const path = Array.isArray(body) ? [i] : [];
    if (!isObject(object)) {
      const detail = 'must be an object of component metadata';
      described.invalid.push({ subject: `#${i}`, faults: [{ pointer: pointerTo(path), detail }] });
      found += 1;
      continue;
    }
    const given = {
      plain: { ...claimsUnder(PLAIN_NAMES, object, base), ...capabilitiesIn(object, vocabulary) },
      terms: claimsUnder(vocabulary.fields, object, base),
    };
    const claims = claimsOfObject(object, given, base);
    const checked = checkMetadata(claims, path);
    const faults = [...further(object, path, given), ...(checked.faults ?? [])];
    const { metadata, leftOut = [] } = checked;
    if (metadata && leftOut.length > 0 && incomplete.length < MOST_FAULTS)
      incomplete.push({ uri: metadata.uri, faults: leftOut });
    if (metadata && faults.length === 0) described.components.push(metadata);
    else described.invalid.push({ subject: subjectOf(claims, i), faults });
    found += faults.length + leftOut.length;
  }
  return { ...described, ...withLeftOut(incomplete) };
}

/** What an invalid description is reported under: its uri, or its index in the body. */
function subjectOf({ uri }: Claims, index: number): string {
  return String(uri?.[0]?.value ?? `#${index}`).slice(0, LIMITS.uri);
}

/** The values of each field: under its plain name, else under the vocabulary's, and for the uri else under `@id`. */
function claimsOfObject(object: JsonObject, { plain, terms }: GivenTwice, base: string | undefined): Claims {
  const claims = { ...terms, ...plain };
  if (!claims.uri && object['@id'] !== undefined) {
    addClaim(claims, 'uri', { value: uriInAddress(object['@id'], base), path: ['@id'] });
  }
  return claims;
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
    for (const one of valuesIn(object[key], [key])) {
      addClaim(claims, field, field === 'uri' ? { ...one, value: withoutBase(one.value, base) } : one);
    }
  }
  return claims;
}

/** Capabilities stand under their plain name only: under the draft's they would be RDF, which is read as that. */
function capabilitiesIn({ capability }: JsonObject, { namespace }: Vocabulary): Claims {
  if (capability === undefined || capability === null) return {};
  const alone = !Array.isArray(capability);
  const values = (alone ? [capability] : capability).map(
    (value: unknown, i: number): Claim => ({
      value: canonicalCapability(value, namespace),
      path: alone ? ['capability'] : ['capability', i],
    }),
  );
  return values.length === 0 ? {} : { capability: values };
}

/** Faults for fields whose plain name and vocabulary name have different values: nothing tells which is right. */
function disagreements({ plain, terms }: GivenTwice, path: readonly PropertyKey[]): Fault[] {
  const textsOf = (claims: readonly Claim[]) => new Set(claims.map(({ value }) => String(value)));
  return FIELDS.flatMap((field) => {
    const [named, said] = [plain[field], terms[field]];
    const key = said?.[0]?.path[0];
    if (!named || !said || key === undefined) return [];
    const [one, other] = [textsOf(named), textsOf(said)];
    if (one.size === other.size && [...one].every((text) => other.has(text))) return [];
    return [{ pointer: pointerTo([...path, key]), detail: `says something else than "${field}"` }];
  });
}

/** Faults for shapes that are names with a usual prefix: as IRIs they would be stored, and found by no query. */
function prefixedShapes({ plain, terms }: GivenTwice, path: readonly PropertyKey[]): Fault[] {
  return [...(plain.shapes ?? []), ...(terms.shapes ?? [])].flatMap(({ value, path: at }) => {
    const iri = typeof value === 'string' ? shapeIri(value) : value;
    return iri === value
      ? []
      : [{ pointer: pointerTo([...path, ...at]), detail: `write the whole IRI: ${iri}` }];
  });
}

/** What a node says of a description, and never takes from who posts it. */
const SAID_BY_NODES: ReadonlySet<string> = new Set(['source', 'since', 'pin']);

function faultsOfUnknownFields(
  object: JsonObject,
  vocabulary: Vocabulary,
  path: readonly PropertyKey[],
): Fault[] {
  return Object.keys(object)
    .filter((key) => !isKnown(key, vocabulary))
    .slice(0, MOST_FAULTS)
    .map((key) => ({
      pointer: pointerTo([...path, key]),
      detail: `unknown field; there are ${FIELDS.join(', ')}, also with ${vocabulary.namespace} in front`,
    }));
}

/** Also what `GET /component` answers beside the metadata: it is passed over, so that an answer can be posted again. */
function isKnown(key: string, { fields, attribution }: Vocabulary): boolean {
  if (
    key.startsWith('@') ||
    key === 'capability' ||
    PLAIN_NAMES.has(key) ||
    fields.has(key) ||
    SAID_BY_NODES.has(key)
  )
    return true;
  const terms: readonly string[] = [...Object.values(PROV), ...Object.values(attribution)];
  return terms.includes(key);
}

/**
 * The values under one key. They may stand alone or in an array, as they are or as JSON-LD writes them (`@value`,
 * `@id`); null stands for no value. An array within the array is a value, which the rules for metadata refuse.
 */
function* valuesIn(value: unknown, path: readonly PropertyKey[]): Generator<Claim> {
  if (!Array.isArray(value)) {
    yield* singleValue(value, path);
    return;
  }
  for (const [i, item] of value.entries()) {
    if (Array.isArray(item)) yield { value: item, path: [...path, i] };
    else yield* singleValue(item, [...path, i]);
  }
}

function* singleValue(value: unknown, path: readonly PropertyKey[]): Generator<Claim> {
  if (value === null || value === undefined) return;
  const wrapped = isObject(value) ? (value['@value'] ?? value['@id']) : undefined;
  yield { value: wrapped === undefined ? value : wrapped, path };
}

const PLAIN_NAMES = fieldsByName((name) => name);
