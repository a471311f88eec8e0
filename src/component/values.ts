import * as z from 'zod';
import { canParseUrl } from '../lib/can-parse-url.js';
import { type Fault, InvalidInput, pointerTo } from '../lib/faults.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { parseIntegrity } from './integrity.js';

/** Characters per value and values per field (design, section 3); more is refused rather than cut. */
export const LIMITS = { uri: 2048, description: 16384, text: 1024, values: 64 } as const;

const NOT_TEXT = 'holds characters that are not valid text';

export const text = (limit: number, least = 1) =>
  z
    .string({ error: ({ input }) => (Array.isArray(input) ? 'must be a single string' : 'must be a string') })
    .min(least, 'must not be empty')
    .max(limit, `may have at most ${limit} characters`)
    .refine(isText, NOT_TEXT);

export const list = (value: z.ZodType<string>) =>
  z.array(value).max(LIMITS.values, `may have at most ${LIMITS.values} values`);

/** Lone surrogates cannot be written in UTF-8, and U+0000 cannot be part of a key of the store. */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** A user name in a URL, after any number of slashes, because URL parsers ignore additional ones. */
const USER = /^https?:[/\\]*[^/\\?#]+@/i;

export const namesUser = (value: string) => USER.test(value);

export function isModuleUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && !namesUser(value) && isAbsoluteIri(value) && canParseUrl(value);
}

export const webAddress = text(LIMITS.uri).refine(
  isModuleUrl,
  'must be an absolute http or https URL without spaces, user name or password',
);

export const absoluteIri = text(LIMITS.text).refine(isAbsoluteIri, 'must be an absolute IRI');

export const integrity = text(LIMITS.text).refine(
  (value) => parseIntegrity(value) !== undefined,
  'must be sha256-, sha384- or sha512- with a digest in base64, or several with spaces between them',
);

/** What is wrong with a parsed body: `whole` says of one that is no such object, `unknown` of a key that there is not. */
export function invalidInput(
  message: string,
  { issues }: Pick<z.ZodError, 'issues'>,
  { whole, unknown }: { readonly whole: string; readonly unknown: string },
): InvalidInput {
  const faults = issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: unknown }));
    return [{ pointer: pointerTo(issue.path), detail: issue.path.length === 0 ? whole : issue.message }];
  });
  return new InvalidInput(message, faults);
}
