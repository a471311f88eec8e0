import * as z from 'zod';
import type { PageRequest } from '../../catalog/catalog.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import { CONSTRAINT_NAMES, type Query, readQuery, readQueryParameters } from '../../component/query.js';
import { withoutBase } from '../../component/reading/component-address.js';
import {
  faultOf,
  invalidParameters,
  limitOf,
  readParameters,
} from '../../lib/http/request/page-parameters.js';
import { type ComponentType, DATASET_TYPES, FORMATS, type Representation } from '../representation.js';

/** The parameters that cut a listing into pages. */
export const pageSchema = z.object({
  limit: limitOf(10_000).describe('components on a page; all of them when absent'),
  after: z.string().min(1, 'must not be empty').optional().describe('only components whose uri is greater'),
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
});

const schema = pageSchema.extend(optionSchema.shape);

/** What the parameters ask for beside constraints. */
export interface Options {
  readonly page: PageRequest;
  /** The representation, where the `Accept` header is not to choose it. */
  readonly type?: ComponentType;
  readonly graphs: Representation['graphs'];
}

const NO_OPTIONS: Options = { page: {}, graphs: 'default' };

/** Reads a single option, and ignores all other parameters. @throws InvalidInput when it is wrong */
export function readGraphs(parameters: URLSearchParams): Representation['graphs'] {
  const alone = new URLSearchParams([...parameters].filter(([name]) => name === 'graphs'));
  return alone.size === 0 ? 'default' : readOptions(alone).graphs;
}

/** Reads a page and options from parameters, constraints aside. @throws InvalidInput naming each that is wrong */
export function readOptions(parameters: URLSearchParams, constraints: readonly string[] = []): Options {
  if (parameters.size === 0) return NO_OPTIONS;
  const { limit, after, ...options } = readParameters(schema, parameters, constraints);
  const graphs: Representation['graphs'] = options.graphs ?? 'default';
  const type = options.format === undefined ? undefined : FORMATS.get(options.format);
  if (graphs === 'all' && type && !DATASET_TYPES.some((dataset) => dataset === type))
    throw invalidParameters([faultOf('format', 'only nq and trig have graphs')]);
  return { page: { limit, after }, graphs, type };
}

/** Reads constraints, a page and options from the same parameters. @throws InvalidInput naming each that is wrong */
export function readSelection(parameters: URLSearchParams, naming: Naming): { query: Query } & Options {
  if (parameters.size === 0) return { query: {}, ...NO_OPTIONS };
  const options = readOptions(parameters, CONSTRAINT_NAMES);
  const constraints = new URLSearchParams(parameters);
  for (const name of Object.keys(schema.shape)) constraints.delete(name);
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
