import * as z from 'zod';
import { type Fault, InvalidInput, pointerTo } from '../lib/faults.js';
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
  throw invalidBody(...parsed.error.issues.flatMap(faultsOf));
}

/** The error for a body that breaks rules. */
export function invalidBody(...faults: Fault[]): InvalidInput {
  return new InvalidInput('The body is not valid', faults);
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const detail = (key: string) => `${key} is not a field that can be given here`;
    return issue.keys.map((key) => ({ pointer: pointerTo([...path, key]), detail: detail(key) }));
  }
  const field = String(path.at(-1) ?? 'the body');
  const isMissing = issue.input === undefined && path.length > 0 && issue.code !== 'custom';
  return [{ pointer: pointerTo(path), detail: `${field} ${isMissing ? 'is missing' : issue.message}` }];
}
