import type * as z from 'zod';
import type { Config } from '../config.js';
import { compareText } from '../lib/compare-text.js';
import { isLoopback } from '../lib/fetch/address.js';
import { grouped } from '../lib/grouped.js';
import {
  type Json,
  listOf,
  type Operation,
  operation,
  parameter,
  problems,
  schemaOf,
  type Tag,
  TEXT,
} from '../lib/http/openapi-parts.js';
import type { Route } from './own-resource.js';

/** What is said of a route. */
export type Described = Operation & Pick<Route, 'method' | 'path'>;

/** A group of routes, and the schemas that their descriptions refer to. */
export interface Feature<R extends Described = Route> {
  readonly tag: Tag;
  readonly routes: readonly R[];
  readonly schemas?: () => Json;
}

/** The description of another service on the same node. Its paths include the mount point. */
export interface OpenApiPart {
  readonly paths: Json;
  readonly schemas?: Json;
  /** The groups of its operations. */
  readonly tags?: readonly Tag[];
}

/** Addresses that answer with HTML for people and nothing else; `/frame` is the sandbox inside of pages. */
const PAGES = ['/network', '/data', '/docs', '/frame'];
const ABOUT = `Which semantic web component renders which data shape.

A slash at the end of a path means nothing, unless it belongs to a uri in the path.

Pages for people are no operations, and may change at any time: ${PAGES.join(', ')}. Nor are the files below /assets, /demo and /starter.`;

/**
 * The OpenAPI 3.1 description of a node as it is configured: what its routes say of themselves. Queries, parameters and the
 * limits of metadata are taken from the schemas that check the requests.
 */
export function describeApi(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  version: string,
  features: readonly Feature<Described>[],
  parts: readonly OpenApiPart[],
): Json {
  const tags = [...features.map(({ tag }) => tag), ...parts.flatMap((part) => part.tags ?? [])];
  const schemas = [...features.map((one) => one.schemas?.()), ...parts.map((one) => one.schemas)];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Component registry node',
      version,
      description: ABOUT,
      contact: { name: 'The operator of this node', url: baseUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl(baseUrl) }],
    // Nothing is asked for unless an operation says so.
    security: [],
    tags: tags.sort((one, other) => compareText(one.name, other.name)),
    paths: Object.assign({}, ...features.map(pathsOf), ...parts.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({ Problem: PROBLEM }, ...schemas),
      securitySchemes: {
        operator: { type: 'http', scheme: 'bearer', description: 'The token of the operator' },
      },
    },
  };
}

function pathsOf({ tag, routes }: Feature<Described>): Json {
  const paths = [...grouped(routes, ({ path }) => path)].map(([path, own]) => {
    const operations = own.map((one) => [one.method.toLowerCase(), describe(one, tag.name)]);
    return [path.replace(/\*$/, '{uri}'), Object.fromEntries(operations)];
  });
  return Object.fromEntries(paths);
}

const STATUSES: Readonly<Record<string, string>> = {
  200: 'The answer',
  201: 'What was saved',
  202: 'Heard',
  204: 'It has taken effect',
  304: 'The client has it already',
};

function describe(
  { id, summary, description = `${summary}.`, security, parameters, takes, answers, refuses }: Operation,
  tag: string,
): Json {
  const good = Object.entries(answers).map(([status, content]) => [
    status,
    { description: STATUSES[status], ...(content && { content }) },
  ]);
  return operation({
    ...{ id, tag, summary, description },
    ...(security && { security }),
    ...(parameters && { parameters: parameters() }),
    ...(takes && { requestBody: { required: true, content: takes() } }),
    responses: { ...Object.fromEntries(good), ...problems(...refuses) },
  });
}

/** Relative to the document where the node has no name but one of the machine itself, which means another one elsewhere. */
function serverUrl(baseUrl: string): string {
  const { hostname, pathname } = new URL(baseUrl);
  return isLoopback(hostname) ? pathname : baseUrl;
}

const PROBLEM = {
  type: 'object',
  required: ['title', 'status', 'detail'],
  properties: {
    ...{ title: TEXT, status: { type: 'integer' }, detail: TEXT },
    errors: listOf({ type: 'object', properties: { pointer: TEXT, detail: TEXT } }),
  },
  description: 'RFC 9457',
};

/** Of what only the operator may ask for. */
export const FOR_OPERATOR = [{ operator: [] }];
/** What can be wrong there whatever is asked. */
export const OF_OPERATOR = [400, 401, 403] as const;

/** The parameters of a schema that reads them from the URL. */
export function queryParameters(schema: z.ZodObject, io: 'input' | 'output' = 'input'): Json[] {
  const { properties = {} } = schemaOf(schema, io);
  return Object.entries(properties).map(([name, property]) => parameter(name, 'query', property as Json));
}

/** A body in any of the types. `schema`: of that in JSON. */
export function content(types: readonly string[], schema: Json = TEXT): Json {
  const others: Readonly<Record<string, Json>> = {
    'application/json': schema,
    'application/ld+json': listOf({ type: 'object', additionalProperties: true }),
  };
  return Object.fromEntries(types.map((type) => [type, { schema: others[type] ?? TEXT }]));
}
