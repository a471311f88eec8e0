import * as z from 'zod';
import { parseCursor } from '../../core/cursor.js';
import { Problem } from '../../lib/http/problem.js';

/** Changes on a page: when nothing is said, and at most. */
export const PAGE_SIZE = { usual: 1000, most: 5000 } as const;

const aPosition = 'must be the position of a change, a whole number';
const position = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, aPosition)
  .pipe(z.coerce.number<string>().int().min(0));
const anEpoch = z.string().regex(/^[0-9a-z]{1,16}$/, 'must be the first part of a cursor');
const aLimit = `must be a whole number from 1 to ${PAGE_SIZE.most}`;

/** The parameters of a page of the feed. */
export const pageSchema = z.object({
  since: z
    .string()
    .refine((text) => parseCursor(text) !== undefined, 'must be a cursor that this node has given')
    .optional()
    .describe('A cursor that this node has given: only what has changed since'),
  after: position.optional().describe('Only what has a greater position'),
  limit: z
    .string()
    .regex(/^\d+$/, aLimit)
    .pipe(z.coerce.number<string>().int().min(1, aLimit).max(PAGE_SIZE.most, aLimit))
    .optional()
    .describe(
      `Changes on a page, ${PAGE_SIZE.usual} when absent; it may have fewer, and still lead to another one`,
    ),
});
export type PageParameters = z.output<typeof pageSchema>;

/** Those of a node of the event stream. */
export const rangeSchema = z.object({
  epoch: anEpoch.describe('The first part of a cursor'),
  after: position.describe('Only what has a greater position'),
  until: position.describe('Only what has no greater position'),
});

/** Reads the parameters of a schema; others mean nothing. @throws Problem 400 for repeated ones, and values that mean nothing */
export function readFeedParameters<S extends z.ZodObject>(
  schema: S,
  parameters: URLSearchParams,
): z.output<S> {
  const given: Record<string, string> = {};
  for (const [name, text] of parameters) {
    if (!Object.hasOwn(schema.shape, name)) continue;
    if (Object.hasOwn(given, name)) throw new Problem(400, `The parameter ${name} is given more than once`);
    given[name] = text;
  }
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `The parameter ${path.join('.')} ${message}`);
  throw new Problem(400, faults.join('; '));
}

/** An address with those of the parameters that have a value. */
export function addressWith(
  address: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}
