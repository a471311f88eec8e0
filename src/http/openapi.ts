import type * as z from 'zod';
import type { Config } from '../config.js';
import { compareText } from '../lib/compare-text.js';
import { isLoopback } from '../lib/fetch/address.js';
import {
  type Feature as DescribedFeature,
  describeFeature,
  type Json,
  listOf,
  type OpenApiPart,
  parameter,
  schemaOf,
  TEXT,
} from '../lib/http/openapi-parts.js';
import type { Route } from './own-resource.js';

/** A group of routes that this node answers. */
export type Feature = DescribedFeature<Route>;

const ABOUT = `Which semantic web component renders which data shape.

A slash at the end of a path means nothing, unless it belongs to a uri in the path.

Pages for people are no operations, and may change at any time: /network, /data, /docs, /frame. Nor are the files below /assets, /demo and /starter.`;

/**
 * The OpenAPI 3.1 description of a node as it is configured: what its routes say of themselves, and
 * `others`: other services on it. Queries, parameters and the limits of metadata are taken from the schemas
 * that check the requests.
 */
export function describeApi(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  version: string,
  features: readonly DescribedFeature[],
  others: readonly OpenApiPart[],
): Json {
  const parts = [...features.map((one) => describeFeature(one)), ...others];
  const tags = parts.flatMap((part) => part.tags ?? []);
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
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({ Problem: PROBLEM }, ...parts.map(({ schemas }) => schemas)),
      securitySchemes: {
        operator: { type: 'http', scheme: 'bearer', description: 'The token of the operator' },
      },
    },
  };
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

/** The parameters of a schema that reads them from the URL. */
export function queryParameters(schema: z.ZodObject, io: 'input' | 'output' = 'input'): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, io);
  return Object.entries(properties).map(([name, property]) =>
    parameter(name, 'query', property as Json, (required as string[]).includes(name)),
  );
}

/** A body in any of the types. `schema`: of that in JSON. */
export function content(types: readonly string[], schema: Json = TEXT): Json {
  const others: Readonly<Record<string, Json>> = {
    'application/json': schema,
    'application/ld+json': listOf({ type: 'object', additionalProperties: true }),
  };
  return Object.fromEntries(types.map((type) => [type, { schema: others[type] ?? TEXT }]));
}
