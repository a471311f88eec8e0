import { type Fault, pointerTo } from '../../lib/faults.js';
import { FIELDS, type Field, LIMITS } from '../metadata.js';
import type { Naming } from '../naming.js';
import { PROV, type Vocabulary } from '../vocabulary.js';
import { addClaim, type Claim, type Claims, checkMetadata } from './claims.js';
import { uriInAddress, withoutBase } from './component-address.js';
import type { Described } from './described.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a service finds wrong with an object beside what breaks the rules for metadata. */
type FurtherCheck = (object: JsonObject, path: readonly PropertyKey[]) => Fault[];

/** After so many faults the rest of a body is not looked at: what is wrong is clear, and each fault takes time to tell. */
export const MOST_FAULTS = 100;

/**
 * Reads the components of a request body, which is parsed JSON: an object or an array of them, with plain names,
 * with the listing's keys, or with both as `GET /component` answers. Where both are there, the plain names count.
 * Unknown fields are faults. `unnamed` counts what was not looked at after `MOST_FAULTS`.
 */
export function describedInPostedJson(body: unknown, { baseUrl, vocabulary }: Naming): Described {
  const unknownFields: FurtherCheck = (object, path) => faultsOfUnknownFields(object, vocabulary, path);
  return readObjects(body, vocabulary, `${baseUrl}/c/`, { further: unknownFields, mostFaults: MOST_FAULTS });
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
    const claims = claimsOfObject(object, vocabulary, base);
    const checked = checkMetadata(claims, path);
    const faults = [...further(object, path), ...(checked.faults ?? [])];
    if (checked.metadata && faults.length === 0) described.components.push(checked.metadata);
    else described.invalid.push({ subject: subjectOf(claims, i), faults });
    found += faults.length;
  }
  return described;
}

/** What an invalid description is reported under: its uri, or its place in the body. */
function subjectOf({ uri }: Claims, place: number): string {
  return String(uri?.[0]?.value ?? `#${place}`).slice(0, LIMITS.uri);
}

/** The values of each field: under its plain name, else under the vocabulary's, and for the uri else under `@id`. */
function claimsOfObject(object: JsonObject, vocabulary: Vocabulary, base: string | undefined): Claims {
  const claims: Claims = {};
  const add = (field: Field, key: string) => {
    for (const one of valuesIn(object[key], [key])) {
      addClaim(claims, field, field === 'uri' ? { ...one, value: withoutBase(one.value, base) } : one);
    }
  };
  const keys = Object.keys(object);
  for (const key of keys) {
    const field = PLAIN_FIELDS.get(key);
    if (field) add(field, key);
  }
  const read = new Set(Object.keys(claims));
  for (const key of keys) {
    const field = vocabulary.fields.get(key);
    if (field && !read.has(field)) add(field, key);
  }
  if (!claims.uri && object['@id'] !== undefined) {
    addClaim(claims, 'uri', { value: uriInAddress(object['@id'], base), path: ['@id'] });
  }
  return claims;
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
  if (key.startsWith('@') || PLAIN_FIELDS.has(key) || fields.has(key) || SAID_BY_NODES.has(key)) return true;
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

/** Fields by the plain names that JSON gives them; existing pods and programs write `shape`, too. */
const PLAIN_FIELDS = new Map<string, Field>([
  ...FIELDS.map((field): [string, Field] => [field, field]),
  ['shape', 'shapes'],
]);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
