import type * as z from 'zod';
import { compareText } from '../../lib/compare-text.js';
import { type Fault, pointerTo } from '../../lib/faults.js';
import { usablePart } from '../canonical-capability.js';
import { shapesOf } from '../capability.js';
import { FIELDS, type Field, LIST_FIELDS, SINGLE_FIELDS } from '../fields.js';
import { type Metadata, metadataSchema } from '../metadata.js';
import { LIMITS } from '../values.js';

/** One value as a description gives it, and where it stands there: a fault of the value points to that place. */
export interface Claim {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * The values that one description gives for each field, before anything is checked: an RDF graph may say
 * two labels or none, and JSON may say a number where a text belongs.
 */
export type Claims = Partial<Record<Field, Claim[]>>;

/** Valid metadata, and what was left out of it; or what is wrong with the description. */
export type Checked =
  | { metadata: Metadata; leftOut: readonly Fault[]; faults?: never }
  | { metadata?: never; leftOut?: never; faults: Fault[] };

/** How many values of a field are collected before repeated ones are dropped. */
const COLLECTED = 4 * LIMITS.values;
/** How many contradictions of one description are reported: enough to see what is wrong. */
const REPORTED = 20;

/**
 * Adds a value to those that a description gives for a field. Of a field with too many values, only so many are
 * kept that `checkMetadata` sees that there are too many.
 */
export function addClaim(claims: Claims, field: Field, value: Claim): void {
  let values = claims[field];
  if (!values) {
    // Most fields have one value. A list that is made empty and then added to takes room for 17.
    claims[field] = [value];
    return;
  }
  if (values.length >= COLLECTED) values = distinct(values).slice(0, LIMITS.values + 1);
  values.push(value);
  claims[field] = values;
}

/**
 * Makes metadata of claims, or finds everything that is wrong with them. `path` is the place of the description in the
 * input; faults about absent fields point there. Repeated values count once.
 */
export function checkMetadata(claims: Claims, path: readonly PropertyKey[] = []): Checked {
  const given: Claims = {};
  for (const field of FIELDS) given[field] = distinct(claims[field] ?? []);
  const faults = contradictions(given, path);
  const leftOut = dropUnusable(given, path);
  // Without any of its capabilities, an application that is opened by links would pass for a module to import.
  if (leftOut.length > 0 && given.capability?.length === 0) faults.push(...leftOut);

  const parsed = metadataSchema.safeParse(candidate(given));
  if (parsed.success) {
    const metadata = withShapes(parsed.data as Metadata);
    if (metadata.shapes.length > LIMITS.values) faults.push(tooManyShapes(path));
    if (faults.length === 0) return { metadata, leftOut };
  }
  for (const issue of parsed.error?.issues ?? []) {
    const [field, index = 0, ...within] = issue.path as [Field, number?, ...PropertyKey[]];
    const cause = given[field]?.[index];
    const isAbsent = !cause || (within.length > 0 && valueAt(cause.value, within) === undefined);
    const name = [field, ...within.filter((key) => typeof key === 'string')].join('.');
    faults.push({
      pointer: pointerTo([...path, ...(cause?.path ?? []), ...within]),
      detail: isAbsent ? `${name} is missing` : `${name} ${messageOf(issue)}`,
    });
  }
  return { faults };
}

/** Takes what cannot be used of capabilities away from what is given, and says why. */
function dropUnusable(given: Claims, path: readonly PropertyKey[]): Fault[] {
  const leftOut: Fault[] = [];
  given.capability = given.capability?.flatMap((claim) => {
    const { capability, faults } = usablePart(claim.value);
    for (const { path: at, detail } of faults) {
      const name = ['capability', ...at.filter((key) => typeof key === 'string')].join('.');
      leftOut.push({ pointer: pointerTo([...path, ...claim.path, ...at]), detail: `${name} ${detail}` });
    }
    return capability === undefined ? [] : [{ ...claim, value: capability }];
  });
  return leftOut;
}

/** A description that has only capabilities renders the shapes that these name (design, section 16). */
function withShapes(metadata: Metadata): Metadata {
  const { capability, shapes } = metadata;
  return capability && shapes.length === 0 ? { ...metadata, shapes: shapesOf(capability) } : metadata;
}

function tooManyShapes(path: readonly PropertyKey[]): Fault {
  const detail = `capability may name at most ${LIMITS.values} classes and shapes, all taken together`;
  return { pointer: pointerTo([...path, 'capability']), detail };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `has no member ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message;
  return issue.code === 'invalid_type' && issue.expected === 'object' ? 'must be an object' : issue.message;
}

function distinct(claims: readonly Claim[]): Claim[] {
  if (claims.length < 2) return claims as Claim[];
  const seen = new Set<unknown>();
  return claims.filter(({ value }) => !seen.has(value) && seen.add(value));
}

/** Faults for second, different values of fields that have only one. */
function contradictions(claims: Claims, at: readonly PropertyKey[]): Fault[] {
  return SINGLE_FIELDS.flatMap((field) =>
    (claims[field] ?? []).slice(1, REPORTED + 1).map(({ path }) => ({
      pointer: pointerTo([...at, ...path]),
      detail: `${field} may have only one value, and this is another one`,
    })),
  );
}

function candidate(claims: Claims): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of SINGLE_FIELDS) {
    const claim = claims[field]?.[0];
    if (claim) result[field] = field === 'latest' ? readBoolean(claim.value) : claim.value;
  }
  // RDF has no order of values; sorted lists make equal metadata look the same, wherever it was read. The claims are
  // sorted, and not only their values, so that the place of a value in the list still leads to its claim.
  for (const field of LIST_FIELDS) {
    const sorted = claims[field]?.sort((a, b) => compareText(String(a.value), String(b.value)));
    result[field] = sorted?.map(({ value }) => value) ?? [];
  }
  const { capability = [] } = claims;
  if (capability.length > 0) result.capability = capability.map(({ value }) => value);
  return result;
}

/** Strings are accepted, because the specification's request body, `xsd:boolean` and existing pods have them. */
function readBoolean(value: unknown): unknown {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return value;
}
