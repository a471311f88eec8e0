import * as z from 'zod';
import type { PageRequest } from '../../catalog/catalog.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import { CONSTRAINT_NAMES, type Query, readQuery, readQueryParameters } from '../../component/query.js';
import { withoutBase } from '../../component/reading/component-address.js';
import {
  faultsIn,
  invalidParameters,
  pageSchemaOf,
  readPageParameters,
  withoutPageParameters,
} from '../../lib/http/request/page-parameters.js';
import { type ComponentType, DATASET_TYPES, FORMATS, type Representation } from '../representation.js';

/** The parameters that cut a listing into pages. */
export const pageSchema = pageSchemaOf({
  members: 'components',
  after: 'only components whose uri is greater',
});

/** The parameters that say what is shown of the components that are selected. */
export const optionSchema = z.object({
  format: z
    .literal([...FORMATS.keys()], `must be one of ${[...FORMATS.keys()].join(', ')}`)
    .optional()
    .describe('the representation, whatever the Accept header says'),
  graphs: z
    .literal('all', 'must be all')
    .optional()
    .describe('in N-Quads and TriG: every description, in a graph named by its document'),
  newest: z
    .enum(['true', 'false'], 'must be true or false')
    .optional()
    .describe('of each component, only the newest of the versions that fulfil the constraints'),
});

const OPTIONS: readonly string[] = Object.keys(optionSchema.shape);

/** What the parameters ask for beside constraints. */
export interface Options {
  readonly page: PageRequest;
  /** The representation, where the `Accept` header is not to choose it. */
  readonly type?: ComponentType;
  readonly graphs: Representation['graphs'];
  readonly newest: boolean;
}

const NO_OPTIONS: Options = { page: {}, graphs: 'default', newest: false };

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
  if (options.success) return decidedOptions(options.data);
  throw invalidParameters(faultsIn(options.error));
}

function decidedOptions({ newest, ...options }: z.output<typeof optionSchema>): Omit<Options, 'page'> {
  const graphs: Representation['graphs'] = options.graphs ?? 'default';
  if (newest === 'true' && graphs === 'all') {
    const detail = 'newest chooses among what is served: leave out graphs=all';
    throw invalidParameters([{ pointer: '?newest', detail }]);
  }
  const type = options.format === undefined ? undefined : FORMATS.get(options.format);
  if (graphs === 'all' && type && !DATASET_TYPES.some((dataset) => dataset === type)) {
    throw invalidParameters([{ pointer: '?format', detail: 'only nq and trig have graphs' }]);
  }
  return { graphs, newest: newest === 'true', type };
}

/** Reads constraints, a page and options from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams, naming: Naming): { query: Query } & Options {
  if (parameters.size === 0) return { query: {}, ...NO_OPTIONS };
  const options = readOptions(parameters, CONSTRAINT_NAMES);
  const constraints = withoutPageParameters(parameters);
  for (const name of OPTIONS) constraints.delete(name);
  return { query: withoutOwnBase(readQueryParameters(constraints), naming), ...options };
}

/** Reads constraints from the body of a request. @throws InvalidInput naming each that is wrong */
export function readConstraints(body: unknown, naming: Naming): Query {
  return withoutOwnBase(readQuery(body), naming);
}

/** Clients may ask for the uri by the address that this node gives to the component. */
function withoutOwnBase(query: Query, { baseUrl }: Naming): Query {
  if (query.uri === undefined) return query;
  return { ...query, uri: withoutBase(query.uri, componentAddress(baseUrl, '')) };
}
