import { compareText } from '../../lib/compare-text.js';
import { type Fault, pointerTo } from '../../lib/faults.js';
import {
  FIELDS,
  type Field,
  LIMITS,
  LIST_FIELDS,
  type Metadata,
  metadataSchema,
  SINGLE_FIELDS,
} from '../metadata.js';

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

/** Valid metadata, or what is wrong with it. */
export type Checked = { metadata: Metadata; faults?: never } | { metadata?: never; faults: Fault[] };

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

  const parsed = metadataSchema.safeParse(candidate(given));
  if (parsed.success && faults.length === 0) return { metadata: parsed.data as Metadata };
  for (const issue of parsed.error?.issues ?? []) {
    const [field, place = 0] = issue.path as [Field, number?];
    const cause = given[field]?.[place];
    faults.push({
      pointer: pointerTo([...path, ...(cause?.path ?? [])]),
      detail: cause ? `${field} ${issue.message}` : `${field} is missing`,
    });
  }
  return { faults };
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
  return result;
}

/** Strings are accepted, because the specification's request body, `xsd:boolean` and existing pods have them. */
function readBoolean(value: unknown): unknown {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return value;
}
