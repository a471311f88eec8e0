import * as z from 'zod';
import { isHttpUrl } from '../../config/url.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields, readJsonBody } from '../../lib/http/request/request-body.js';
import type { RouteRequest } from '../../lib/http/resource.js';

const BODY_BYTES = 4096;

export const httpUrl = z.string().max(2048).refine(isHttpUrl).meta({ format: 'uri' });

/** Reads a JSON body of few fields. @throws Problem 422 that says what it must be: `wanted` */
export async function readShortBody<T>(
  { raw }: RouteRequest,
  schema: z.ZodType<T>,
  wanted: string,
): Promise<T> {
  return checked(await readJsonBody(raw, BODY_BYTES), schema, wanted);
}

/** The same of a form, as pages without scripts send it. @throws Problem 422 that says what it must be: `wanted` */
export async function readForm<T>({ raw }: RouteRequest, schema: z.ZodType<T>, wanted: string): Promise<T> {
  return checked(Object.fromEntries(await readFormFields(raw, BODY_BYTES)), schema, wanted);
}

function checked<T>(value: unknown, schema: z.ZodType<T>, wanted: string): T {
  const body = schema.safeParse(value);
  if (body.success) return body.data;
  throw new Problem(422, `The body must be ${wanted}`);
}
