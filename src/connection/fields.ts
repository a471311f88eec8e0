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

/** The last moment that a date can hold, in ms since the epoch (ECMAScript, section 21.4.1.1). */
export const LAST_MOMENT = 8_640_000_000_000_000;

/** A time in a body: ms since the epoch as a numeric string. */
export const momentField = z
  .string('must be a numeric string')
  .regex(/^\d{1,16}$/, 'must be a numeric string: milliseconds since 1970')
  .refine((text) => Number(text) <= LAST_MOMENT, 'must be a moment before the year 275760')
  .transform((text) => String(Number(text)))
  .meta({ description: 'milliseconds since 1970 as a numeric string' });

/** Checks a JSON body against a schema. @throws InvalidInput with a pointer to each fault */
export function check<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, body));
  throw invalidBody(faults);
}

/** The error for a body that breaks rules. */
export function invalidBody(faults: readonly Fault[]): InvalidInput {
  return new InvalidInput('The body is not valid', faults);
}

function faultsOf(issue: z.core.$ZodIssue, body: unknown): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      detail: `${key} is not a field that can be given here`,
    }));
  }
  const field = String(issue.path.at(-1) ?? 'the body');
  const detail = isMissing(body, issue.path) ? `${field} is missing` : `${field} ${issue.message}`;
  return [{ pointer: pointerTo(issue.path), detail }];
}

function isMissing(body: unknown, path: readonly PropertyKey[]): boolean {
  let at: unknown = body;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return true;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return false;
}
