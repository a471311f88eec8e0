import { z } from 'zod';
import { canParseUrl } from '../lib/can-parse-url.js';
import { compareText } from '../lib/compare-text.js';
import { type Fault, pointerTo } from '../lib/faults.js';

/** Characters per value and values per field (design, section 3); more is refused rather than cut. */
export const LIMITS = { uri: 2048, description: 16384, text: 1024, values: 64 } as const;

const NOT_TEXT = 'holds characters that are not valid text';
// RFC 3987 forbids these in IRIs, and N-Triples could not write them down.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|\\^`\u007f-\u009f]/;

// A lone surrogate has no UTF-8 form, and U+0000 no place in the keys of the store.
const text = (limit: number, least = 1) =>
  z
    .string('must be a string')
    .min(least, 'must not be empty')
    .max(limit, `may have at most ${limit} characters`)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), NOT_TEXT);

const list = (value: z.ZodType<string>) =>
  z.array(value).max(LIMITS.values, `may have at most ${LIMITS.values} values`);

/** The rules for one component; `description` of a field is what the OpenAPI document says of it. */
export const metadataSchema = z.strictObject({
  uri: text(LIMITS.uri)
    .refine(isModuleUrl, 'must be an absolute http or https URL without spaces, user name or password')
    .describe('absolute http(s) URL of the JavaScript module; host applications import it'),
  label: text(LIMITS.text).describe('textual label'),
  description: text(LIMITS.description, 0).optional().describe('textual description'),
  version: text(LIMITS.text, 0).optional().describe('version number of the component'),
  latest: z.boolean('must be true or false').optional().describe('is this the latest of its versions?'),
  author: list(text(LIMITS.text)).describe('authors of the component'),
  tag: list(text(LIMITS.text)).describe('tags that describe the component'),
  shapes: list(text(LIMITS.text).refine(isAbsoluteIri, 'must be an absolute IRI')).describe(
    'IRIs of the data shapes that the component renders',
  ),
});

/** What a registry knows of one component. Absent single values are absent, absent lists are empty. */
export interface Metadata {
  /** Absolute http(s) URL of the JavaScript module. */
  readonly uri: string;
  readonly label: string;
  readonly description?: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author: readonly string[];
  readonly tag: readonly string[];
  /** Absolute IRIs of the data shapes that the component renders. */
  readonly shapes: readonly string[];
}

export type Field = keyof Metadata;
export type ListField = 'author' | 'tag' | 'shapes';

export const SINGLE_FIELDS = ['uri', 'label', 'description', 'version', 'latest'] as const;
export const LIST_FIELDS: readonly ListField[] = ['author', 'tag', 'shapes'];
export const FIELDS: readonly Field[] = [...SINGLE_FIELDS, ...LIST_FIELDS];

/** One claimed value and where it stands in its description (RFC 6901), for the fault that it may cause. */
export interface Claim {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * The values that one description gives for each field, before anything is checked: an RDF graph may say
 * two labels or none, and JSON may say a number where a text belongs.
 */
export type Claims = Partial<Record<Field, Claim[]>>;

export type Checked = { metadata: Metadata; faults?: never } | { metadata?: never; faults: Fault[] };

/** Values of a field that are gathered before repeated ones are dropped. */
const GATHERED = 4 * LIMITS.values;
/** Contradictions of one description that are named: enough to see what is wrong. */
const NAMED_CONTRADICTIONS = 20;

/**
 * Adds a value to what a description says of a field. Of a field with more values than any may have, only as many
 * are kept as show that it has too many.
 */
export function claim(claims: Claims, field: Field, value: Claim): void {
  let values = claims[field] ?? [];
  if (values.length >= GATHERED) values = distinct(values).slice(0, LIMITS.values + 1);
  values.push(value);
  claims[field] = values;
}

/**
 * Turns claims into metadata, or says everything that is wrong with them. `path` is where the description
 * itself stands in the input; faults about absent fields point there. Repeated values count once.
 */
export function checkMetadata(claims: Claims, path: readonly PropertyKey[] = []): Checked {
  const kept: Claims = {};
  for (const field of FIELDS) kept[field] = distinct(claims[field] ?? []);
  const faults = contradictions(kept, path);

  const parsed = metadataSchema.safeParse(candidate(kept));
  if (parsed.success && faults.length === 0) return { metadata: parsed.data as Metadata };
  for (const issue of parsed.error?.issues ?? []) {
    const [field, place = 0] = issue.path as [Field, number?];
    const claim = kept[field]?.[place];
    const missing = claim === undefined;
    faults.push({
      pointer: pointerTo([...path, ...(claim?.path ?? [])]),
      detail: missing ? `${field} is missing` : `${field} ${issue.message}`,
    });
  }
  return { faults };
}

/** Do two descriptions of a component say the same? */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  return (
    SINGLE_FIELDS.every((field) => one[field] === other[field]) &&
    LIST_FIELDS.every((field) => sameList(one[field], other[field]))
  );
}

/** An IRI with a scheme, of characters that every RDF syntax can write (RFC 3987, section 2.2). */
export function isAbsoluteIri(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:./i.test(value) && !NOT_IN_IRI.test(value);
}

/** What stands before an `@` ahead of the first slash, with any number of slashes before it: URL parsers pass over them. */
const USER = /^https?:[/\\]*[^/\\?#]+@/i;

function isModuleUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && !USER.test(value) && isAbsoluteIri(value) && canParseUrl(value);
}

function distinct(claims: readonly Claim[]): Claim[] {
  if (claims.length < 2) return claims as Claim[];
  const seen = new Set<unknown>();
  return claims.filter(({ value }) => !seen.has(value) && seen.add(value));
}

/** A second, different value of a field that has only one. */
function contradictions(claims: Claims, at: readonly PropertyKey[]): Fault[] {
  return SINGLE_FIELDS.flatMap((field) =>
    (claims[field] ?? []).slice(1, NAMED_CONTRADICTIONS + 1).map(({ path }) => ({
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
  // RDF has no order of values: sorted, the same component looks the same wherever it was read. Sorted are
  // the claims themselves, so that the place of a value still leads to where it came from.
  for (const field of LIST_FIELDS) {
    const sorted = claims[field]?.sort((a, b) => compareText(String(a.value), String(b.value)));
    result[field] = sorted?.map(({ value }) => value) ?? [];
  }
  return result;
}

/** The strings count: the specification's request body, `xsd:boolean` and existing pods write them. */
function readBoolean(value: unknown): unknown {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return value;
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}
