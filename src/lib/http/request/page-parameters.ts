import * as z from 'zod';
import { type Fault, InvalidInput } from '../../faults.js';

/** Largest page of a list. */
const MAX_PAGE = 10_000;
const limitFault = `must be a whole number from 1 to ${MAX_PAGE}`;

/** The parameters that cut a list into pages. The texts are for the OpenAPI description. */
export function pageSchemaOf({ members, after }: { members: string; after: string }) {
  return z.object({
    limit: z
      .string()
      .regex(/^\d+$/, limitFault)
      .pipe(z.coerce.number<string>().int().min(1, limitFault).max(MAX_PAGE, limitFault))
      .optional()
      .describe(`${members} on a page; all of them when absent`),
    after: z.string().min(1, 'must not be empty').optional().describe(after),
  });
}

export type PageParameters = z.output<ReturnType<typeof pageSchemaOf>>;

const schema = pageSchemaOf({ members: '', after: '' });
const NAMES: readonly string[] = Object.keys(schema.shape);

/** Further parameters that a list has. */
interface Others {
  readonly single?: readonly string[];
  readonly repeatable?: readonly string[];
}

/** Reads `limit` and `after`, and refuses unknown parameters. @throws InvalidInput naming each that is wrong */
export function readPageParameters(
  parameters: URLSearchParams,
  { single = [], repeatable = [] }: Others = {},
): PageParameters {
  if (parameters.size === 0) return {};
  const known = [...NAMES, ...single, ...repeatable];
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.includes(name));
  const repeated = [...NAMES, ...single].filter((name) => parameters.getAll(name).length > 1);
  const parsed = schema.safeParse(
    Object.fromEntries(NAMES.map((name) => [name, parameters.get(name) ?? undefined])),
  );
  const faults = [
    ...unknown.map((name) => ({
      pointer: `?${name}`,
      detail: `unknown parameter; there are ${known.join(', ')}`,
    })),
    ...repeated.map((name) => ({ pointer: `?${name}`, detail: `${name} is given more than once` })),
    ...faultsIn(parsed.error),
  ];
  if (faults.length > 0 || !parsed.success) {
    throw invalidParameters(faults);
  }
  return parsed.data;
}

/** What a schema finds wrong with parameters. */
export function faultsIn(error: z.ZodError | undefined): Fault[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    pointer: `?${String(path[0])}`,
    detail: `${String(path[0])} ${message}`,
  }));
}

/** The error for parameters of a URL that break a rule; pointers are `?` with the name. */
export function invalidParameters(faults: readonly Fault[]): InvalidInput {
  return new InvalidInput('The parameters of the URL are not valid', faults);
}

export function withoutPageParameters(parameters: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(parameters);
  for (const name of NAMES) others.delete(name);
  return others;
}

/** The `Link` header to the page that begins after `after`, with the same filter (RFC 8288); none behind the last page. */
export function nextLink(
  address: string,
  parameters: URLSearchParams,
  after: string | undefined,
): { link?: string } {
  if (after === undefined) return {};
  const following = new URLSearchParams(parameters);
  following.set('after', after);
  return { link: `<${address}?${following}>; rel="next"` };
}
