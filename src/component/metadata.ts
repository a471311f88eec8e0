import { z } from 'zod';
import { canParseUrl } from '../lib/can-parse-url.js';
import { parseIntegrity } from './integrity.js';

/** Characters per value and values per field (design, section 3); more is refused rather than cut. */
export const LIMITS = { uri: 2048, description: 16384, text: 1024, values: 64 } as const;

const NOT_TEXT = 'holds characters that are not valid text';
// RFC 3987 forbids these in IRIs, and N-Triples could not write them down.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|\\^`\u007f-\u009f]/;

// Lone surrogates cannot be written in UTF-8, and U+0000 cannot be part of a key of the store.
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
  integrity: text(LIMITS.text)
    .refine(
      isIntegrity,
      'must be sha256-, sha384- or sha512- with a digest in base64, or several with spaces between them',
    )
    .optional()
    .describe(
      "hashes of the module's bytes, as in the attribute `integrity` of scripts; hosts run nothing else",
    ),
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
  /** What the author promises of the module's bytes (Subresource Integrity, section 3.3). */
  readonly integrity?: string;
  readonly author: readonly string[];
  readonly tag: readonly string[];
  /** Absolute IRIs of the data shapes that the component renders. */
  readonly shapes: readonly string[];
}

export type Field = keyof Metadata;
export type ListField = 'author' | 'tag' | 'shapes';

export const SINGLE_FIELDS = ['uri', 'label', 'description', 'version', 'latest', 'integrity'] as const;
export const LIST_FIELDS: readonly ListField[] = ['author', 'tag', 'shapes'];
export const FIELDS: readonly Field[] = [...SINGLE_FIELDS, ...LIST_FIELDS];

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

/** A user name in a URL, after any number of slashes, because URL parsers ignore additional ones. */
const USER = /^https?:[/\\]*[^/\\?#]+@/i;

function isModuleUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && !USER.test(value) && isAbsoluteIri(value) && canParseUrl(value);
}

function isIntegrity(value: string): boolean {
  return parseIntegrity(value) !== undefined;
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, i) => value === other[i]);
}
