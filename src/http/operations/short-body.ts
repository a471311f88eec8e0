import * as z from 'zod';
import { isHttpUrl } from '../../config/url.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields, readJsonBody } from '../../lib/http/request/request-body.js';
import type { RouteRequest } from '../../lib/http/resource.js';

const BODY_BYTES = 4096;

export const httpUrl = z.string().max(2048).refine(isHttpUrl).meta({ format: 'uri' });

/**
 * Reads a body of few fields, in JSON, or where `isForm` as pages without scripts send it.
 * @throws Problem 422 that says what it must be: `wanted`
 */
export async function readShortBody<T>(
  req: RouteRequest,
  schema: z.ZodType<T>,
  wanted: string,
  isForm = false,
): Promise<T> {
  const value = isForm
    ? Object.fromEntries(await readFormFields(req, BODY_BYTES))
    : await readJsonBody(req, BODY_BYTES);
  const body = schema.safeParse(value);
  if (body.success) return body.data;
  throw new Problem(422, `The body must be ${wanted}`);
}
