import * as z from 'zod';
import { parseCursor } from '../../core/cursor.js';
import { limitOf } from '../../lib/http/request/page-parameters.js';

/** Changes on a page: when nothing is said, and at most. */
export const PAGE_SIZE = { usual: 1000, most: 5000 } as const;

const position = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})$/, 'must be the position of a change, a whole number')
  .pipe(z.coerce.number<string>().int().min(0));

/** The parameters of a page of the feed. */
export const feedSchema = z.object({
  since: z
    .string()
    .refine((text) => parseCursor(text) !== undefined, 'must be a cursor that this node has given')
    .optional()
    .describe('A cursor that this node has given: only what has changed since'),
  after: position.optional().describe('Only what has a greater position'),
  limit: limitOf(PAGE_SIZE.most).describe(
    `Changes on a page, ${PAGE_SIZE.usual} when absent; it may have fewer, and still lead to another one`,
  ),
});
export type PageParameters = z.output<typeof feedSchema>;

/** Those of a node of the event stream. */
export const rangeSchema = z.object({
  epoch: z
    .string()
    .regex(/^[0-9a-z]{1,16}$/, 'must be the first part of a cursor')
    .describe('The first part of a cursor'),
  after: position.describe('Only what has a greater position'),
  until: position.describe('Only what has no greater position'),
});

/** An address with those of the parameters that have a value. */
export function addressWith(
  address: string,
  values: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(given as [string, string][]);
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}
