import type * as z from 'zod';
import { compareText } from '../../lib/compare-text.js';
import { excerpt } from '../../lib/excerpt.js';
import { type Fault, pointerTo } from '../../lib/faults.js';
import { printable } from '../../lib/printable.js';
import { isExcessiveTemplate, TEMPLATE_BOUNDS } from '../../lib/uri-template.js';
import { isObject } from '../canonical-capability.js';
import { isKind, KINDS, shapesOf } from '../capability.js';
import { FIELDS, type Field, LIST_FIELDS, SINGLE_FIELDS } from '../fields.js';
import { type Metadata, metadataSchema } from '../metadata.js';
import { isText, LIMITS, namesUser } from '../values.js';

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

export interface Checked {
  /** Absent when the description breaks a rule. */
  readonly metadata?: Metadata;
  /** All rules that the description breaks; of valid metadata: why something was left out of it. */
  readonly faults: readonly Fault[];
}

/** How many values of a field are collected before repeated ones are dropped. */
const COLLECTED = 4 * LIMITS.values;
/** How many contradictions of one description are reported: enough to see what is wrong. */
const REPORTED = 20;
/** Characters of a wrong value that are reported: they tell which of several is meant. */
const SHOWN = 80;

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
  const leftOut = dropUnusable(given, path);
  const faults = contradictions(given, path);
  // Without any of its capabilities, an application that is opened by links would pass for a module to import.
  if (leftOut.length > 0 && given.capability?.length === 0) faults.push(...leftOut);
  const { data, error } = metadataSchema.safeParse(candidate(given));
  for (const issue of error?.issues ?? []) faults.push(faultOf(issue, given, path));
  if (!data || faults.length > 0) return { faults };
  const metadata = withShapes(data as Metadata);
  if (metadata.shapes.length <= LIMITS.values) return { metadata, faults: leftOut };
  const detail = `capability may name at most ${LIMITS.values} classes and shapes, all taken together`;
  return { faults: [{ pointer: pointerTo([...path, 'capability']), detail }] };
}

function faultOf(issue: z.core.$ZodIssue, given: Claims, path: readonly PropertyKey[]): Fault {
  const [field, index, ...within] = issue.path as [Field, number?, ...PropertyKey[]];
  const claims = given[field] ?? [];
  const cause = claims[index ?? 0];
  const value = valueAt(cause?.value, within);
  const isAbsent = !cause || (within.length > 0 && value === undefined);
  // Of a field with too many values, no single one is wrong.
  const said = index === undefined && claims.length > 1 ? '' : quoted(value);
  return {
    pointer: pointerTo([...path, ...(cause?.path ?? []), ...within]),
    detail: `${nameOf([field, ...within])} ${isAbsent ? 'is missing' : messageOf(issue)}${said}`,
  };
}

/** A wrong value, for a fault that is stored and shown to everybody: not one that may hold a password or token. */
function quoted(value: unknown): string {
  if (typeof value !== 'string' || value === '' || !isText(value) || namesUser(value) || value.includes('?'))
    return '';
  return `, and is ${printable(excerpt(value, SHOWN))}`;
}

/** A place without the indices of lists. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.filter((key) => typeof key === 'string').join('.');
}

/**
 * Takes invocations that cannot be used away from what is given (design, section 16), and capabilities that have only such, and says
 * why.
 */
function dropUnusable(given: Claims, path: readonly PropertyKey[]): Fault[] {
  const leftOut: Fault[] = [];
  given.capability = given.capability?.flatMap((claim) => {
    const { value } = claim;
    if (!isObject(value) || !Array.isArray(value.invocation)) return [claim];
    const all: readonly unknown[] = value.invocation;
    const invocation = all.filter((one, i) => {
      const [key, why] = unusable(one) ?? [];
      if (key === undefined) return true;
      const at = ['invocation', i, key];
      const pointer = pointerTo([...path, ...claim.path, ...at]);
      leftOut.push({ pointer, detail: `${nameOf(['capability', ...at])} ${why}` });
      return false;
    });
    if (invocation.length === all.length) return [claim];
    return invocation.length === 0 ? [] : [{ ...claim, value: { ...value, invocation } }];
  });
  return leftOut;
}

const UNKNOWN_KIND = `is no kind of invocation that is known here: there are ${Object.values(KINDS).join(', ')}`;
const { variables, repetitions } = TEMPLATE_BOUNDS;
const TOO_MANY_VARIABLES = `may name at most ${variables} variables, each at most ${repetitions} times`;

/** Why an invocation cannot be used, and which of its members says so. */
function unusable(invocation: unknown): readonly [key: string, why: string] | undefined {
  const { type, template } = isObject(invocation) ? invocation : {};
  if (typeof type === 'string' && !isKind(type)) return ['type', UNKNOWN_KIND];
  const isExcessive = typeof template === 'string' && isExcessiveTemplate(template);
  return isExcessive ? ['template', TOO_MANY_VARIABLES] : undefined;
}

/** A description that has only capabilities renders the shapes that these name (design, section 16). */
function withShapes(metadata: Metadata): Metadata {
  const { capability, shapes } = metadata;
  return capability && shapes.length === 0 ? { ...metadata, shapes: shapesOf(capability) } : metadata;
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
