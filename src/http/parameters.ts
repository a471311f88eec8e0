import type * as z from 'zod';
import { InvalidInput } from '../lib/faults.js';
import { Problem } from '../lib/http/problem.js';
import { readParameters } from '../lib/http/request/page-parameters.js';
import { parametersOf } from '../lib/http/request/url-parameters.js';

/**
 * The parameters of a schema in the URL of a request; others mean nothing.
 * @throws Problem 400 for repeated ones, and for values that mean nothing
 */
export function parametersIn<S extends z.ZodObject>(schema: S, url: string): z.output<S> {
  const known = [...parametersOf(url)].filter(([name]) => Object.hasOwn(schema.shape, name));
  try {
    return readParameters(schema, new URLSearchParams(known));
  } catch (cause) {
    if (!(cause instanceof InvalidInput)) throw cause;
    throw new Problem(400, cause.faults.map(({ detail }) => `The parameter ${detail}`).join('; '), { cause });
  }
}
