import * as z from 'zod';
import { invalidInput } from '../component/values.js';
import { InvalidInput } from '../lib/faults.js';
import { MAX_URI, readUri } from './uri.js';

/** A URI in a body, plain or percent-encoded; decoded when it is read. */
export const uriField = z
  .string('must be a string')
  .transform((written, { addIssue }) => {
    const uri = readUri(written);
    if (uri !== undefined) return uri;
    addIssue(`must be an absolute URI of at most ${MAX_URI} characters, plain or percent-encoded`);
    return z.NEVER;
  })
  .meta({ description: 'absolute URI, plain or percent-encoded' });

/** A time in a body: ms since the epoch as a numeric string, of no more digits than dates can hold. */
export const momentField = z
  .string('must be a numeric string')
  .regex(/^\d{1,15}$/, 'must be a numeric string: milliseconds since 1970')
  .meta({ description: 'milliseconds since 1970 as a numeric string' });

/** Checks a JSON body against a schema. @throws InvalidInput with a pointer to each fault */
export function check<T>(schema: z.ZodType<T>, body: unknown): T {
  // Issues bring what they found, so that a field that is missing can be told from one that is wrong.
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) =>
    issue.input === undefined ? { ...issue, message: `${String(issue.path.at(-1))} is missing` } : issue,
  );
  const words = { whole: 'must be a JSON object', unknown: 'is not a field that can be given here' };
  throw invalidInput('The body is not valid', { issues }, words);
}

/** The error for a body with a field that is wrong, though not by itself. */
export function wrongField(field: string, detail: string): InvalidInput {
  return new InvalidInput('The body is not valid', [{ pointer: `/${field}`, detail }]);
}
