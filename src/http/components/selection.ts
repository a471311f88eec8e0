import { z } from 'zod';
import { CONSTRAINTS, type Query, readQueryParameters } from '../../component/query.js';
import {
  invalidParameters,
  pageSchemaOf,
  readPageParameters,
  withoutPageParameters,
} from '../../lib/http/request/page-parameters.js';
import type { PageRequest } from '../../registry/page.js';
import type { Representation } from './representation.js';

/** The parameters that cut a listing into pages. */
export const pageSchema = pageSchemaOf({
  members: 'components',
  after: 'only components whose uri is greater',
});

/** The parameters that say what is shown of the components that are selected. */
export const optionSchema = z.object({
  graphs: z
    .literal('all', 'must be all')
    .optional()
    .describe('in N-Quads and TriG: every description, in a graph named by its document'),
});

const OPTIONS: readonly string[] = Object.keys(optionSchema.shape);

/** What the parameters ask for beside constraints. */
export interface Options {
  readonly page: PageRequest;
  readonly graphs: Representation['graphs'];
}

const NO_OPTIONS: Options = { page: {}, graphs: 'default' };

/** Reads a single option, and ignores all other parameters. @throws InvalidInput when it is wrong */
export function readGraphs(parameters: URLSearchParams): Representation['graphs'] {
  return parameters.has('graphs') ? checkedOptions(parameters, ['graphs']).graphs : 'default';
}

/** Reads a page and options from parameters without constraints. @throws InvalidInput naming each that is wrong */
export function readOptions(parameters: URLSearchParams, constraints: readonly string[] = []): Options {
  if (parameters.size === 0) return NO_OPTIONS;
  const page = readPageParameters(parameters, { single: OPTIONS, repeatable: constraints });
  return { page, ...checkedOptions(parameters, OPTIONS) };
}

function checkedOptions(parameters: URLSearchParams, names: readonly string[]): Omit<Options, 'page'> {
  const given = names.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name)]] : []));
  const options = optionSchema.safeParse(Object.fromEntries(given));
  if (options.success) return { graphs: options.data.graphs ?? 'default' };
  const faults = options.error.issues.map(({ path, message }) => ({
    pointer: `?${String(path[0])}`,
    detail: `${String(path[0])} ${message}`,
  }));
  throw invalidParameters(faults);
}

/** Reads constraints, a page and options from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams): { query: Query } & Options {
  if (parameters.size === 0) return { query: {}, ...NO_OPTIONS };
  const options = readOptions(parameters, CONSTRAINTS);
  const constraints = withoutPageParameters(parameters);
  for (const name of OPTIONS) constraints.delete(name);
  return { query: readQueryParameters(constraints), ...options };
}
