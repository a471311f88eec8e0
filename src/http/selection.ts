import { z } from 'zod';
import { CONSTRAINTS, type Query, readQueryParameters } from '../component/query.js';
import { InvalidInput } from '../lib/faults.js';
import type { PageRequest } from '../registry/page.js';

/** Components on one page of a listing, at most. */
export const MAX_PAGE = 10_000;

const limitFault = `must be a whole number from 1 to ${MAX_PAGE}`;

/** The parameters that cut a listing into pages. */
export const pageSchema = z.object({
  limit: z
    .string()
    .regex(/^\d+$/, limitFault)
    .pipe(z.coerce.number<string>().int().min(1, limitFault).max(MAX_PAGE, limitFault))
    .optional()
    .describe('components on a page; all of them when absent'),
  after: z.string().min(1, 'must not be empty').optional().describe('only components whose uri is greater'),
});

const PAGE_PARAMETERS: readonly string[] = Object.keys(pageSchema.shape);

/** Reads `limit` and `after`, and refuses every other parameter. @throws InvalidInput naming each that is wrong */
export function readPage(parameters: URLSearchParams): PageRequest {
  return readParameters(parameters, PAGE_PARAMETERS);
}

/** Reads a filter and a page from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams): { query: Query; page: PageRequest } {
  if (parameters.size === 0) return { query: {}, page: {} };
  const page = readParameters(parameters, [...PAGE_PARAMETERS, ...CONSTRAINTS]);
  const constraints = new URLSearchParams(parameters);
  for (const name of PAGE_PARAMETERS) constraints.delete(name);
  return { query: readQueryParameters(constraints), page };
}

/** The `Link` header to the page that begins after `next`, with the same filter (RFC 8288). */
export function nextLink(address: string, parameters: URLSearchParams, next: string): string {
  const following = new URLSearchParams(parameters);
  following.set('after', next);
  return `<${address}?${following}>; rel="next"`;
}

function readParameters(parameters: URLSearchParams, known: readonly string[]): PageRequest {
  if (parameters.size === 0) return {};
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.includes(name));
  const repeated = PAGE_PARAMETERS.filter((name) => parameters.getAll(name).length > 1);
  const parsed = pageSchema.safeParse(
    Object.fromEntries(PAGE_PARAMETERS.map((name) => [name, parameters.get(name) ?? undefined])),
  );
  const faults = [
    ...unknown.map((name) => ({
      pointer: `?${name}`,
      detail: `unknown parameter; there are ${known.join(', ')}`,
    })),
    ...repeated.map((name) => ({ pointer: `?${name}`, detail: `${name} is given more than once` })),
    ...(parsed.error?.issues ?? []).map((issue) => ({
      pointer: `?${String(issue.path[0])}`,
      detail: `${String(issue.path[0])} ${issue.message}`,
    })),
  ];
  if (faults.length > 0 || !parsed.success) {
    throw new InvalidInput('The parameters of the URL are not valid', faults);
  }
  return parsed.data;
}
