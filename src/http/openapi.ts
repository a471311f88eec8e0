import { z } from 'zod';
import { FIELDS, LIMITS, LIST_FIELDS } from '../component/metadata.js';
import { querySchema } from '../component/query.js';
import type { Config } from '../config.js';
import { POSTED_TYPES } from './component-body.js';
import { NETWORK_TYPES } from './network.js';
import { isWritable } from './operator.js';
import { COMPONENT_TYPES } from './representation.js';
import { pageSchema } from './selection.js';

type Json = Record<string, unknown>;

/** What another service on the same node adds to the description. Paths are complete, mount point included. */
export interface OpenApiPart {
  readonly paths: Json;
  readonly schemas?: Json;
}

/**
 * The OpenAPI 3.1 description of a node as it is configured. Queries and parameters come from the schemas that
 * check the requests, the limits of metadata from the rules that check it.
 */
export function describeApi(
  config: Pick<Config, 'baseUrl' | 'write' | 'mode'>,
  version: string,
  parts: readonly OpenApiPart[] = [],
): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Component registry node',
      version,
      description: 'Which semantic web component renders which data shape.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.baseUrl }],
    paths: Object.assign({}, registryPaths(isWritable(config)), ...parts.map(({ paths }) => paths)),
    components: {
      schemas: Object.assign({}, registrySchemas(), ...parts.map(({ schemas }) => schemas ?? {})),
      securitySchemes: { operator: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function registryPaths(writable: boolean): Json {
  const uri = { name: 'uri', in: 'path', required: true, schema: { type: 'string' } };
  return {
    '/component': {
      get: {
        summary: 'Everything, a page of it, or what the parameters select',
        parameters: [...queryParameters(pageSchema), ...queryParameters(querySchema)],
        responses: { 200: listing, 304: unchanged, ...problems(406, 422, 503) },
      },
      ...(writable ? { post: publishOperation() } : {}),
    },
    '/component/query': {
      post: {
        summary: 'The components for which all constraints hold',
        parameters: queryParameters(pageSchema),
        requestBody: { required: true, content: json(reference('Query')) },
        responses: { 200: listing, ...problems(400, 406, 413, 415, 422, 503) },
      },
    },
    '/c/{uri}': {
      get: {
        summary: 'One component; its uri as it is, or percent-encoded',
        parameters: [uri],
        responses: {
          200: content(COMPONENT_TYPES, reference('Component')),
          304: unchanged,
          ...problems(400, 404, 406, 503),
        },
      },
      ...(writable ? { delete: deleteOperation(uri) } : {}),
    },
    '/peers': { get: addressOperation('The nodes that this node trusts and synchronises with') },
    '/storage': { get: addressOperation('The pods that this node knows') },
    '/health': { get: plainOperation('Is the node serving?', 503) },
    '/status': { get: plainOperation('The node and each of its sources') },
    '/sync': {
      post: {
        summary: 'Poll now, all sources or one',
        security: [{ operator: [] }],
        parameters: [{ name: 'source', in: 'query', schema: { type: 'string', format: 'uri' } }],
        responses: { 200: content(['application/json'], { type: 'array' }), ...problems(401, 403, 404) },
      },
    },
    '/metrics': {
      get: {
        summary: 'Figures for Prometheus',
        responses: { 200: content(['text/plain'], { type: 'string' }) },
      },
    },
    '/openapi.json': { get: plainOperation('This description') },
    '/': {
      get: {
        summary: 'A page for people, links for programs',
        responses: { 200: content(['application/json', 'text/html'], {}), ...problems(406) },
      },
    },
  };
}

function publishOperation(): Json {
  const list = { oneOf: [{ type: 'array', items: reference('Component') }, reference('Component')] };
  return {
    summary: "Add or replace components among the node's own statements, all or nothing",
    security: [{}, { operator: [] }],
    requestBody: { required: true, ...content(POSTED_TYPES, {}, list) },
    responses: {
      200: { ...listing, description: 'Nothing new; what was saved' },
      201: { ...listing, description: 'What was saved' },
      ...problems(400, 401, 403, 406, 413, 415, 422, 503),
    },
  };
}

function deleteOperation(uri: Json): Json {
  return {
    summary: "Take back the node's own statement about a component",
    security: [{}, { operator: [] }],
    parameters: [uri],
    responses: { 204: { description: 'Gone' }, ...problems(400, 401, 403, 404, 503) },
  };
}

function addressOperation(summary: string): Json {
  const list = { type: 'array', items: { type: 'string', format: 'uri' } };
  return {
    summary,
    responses: { 200: content(NETWORK_TYPES, {}, list), 304: unchanged, ...problems(406, 503) },
  };
}

function plainOperation(summary: string, ...failures: number[]): Json {
  return {
    summary,
    responses: { 200: content(['application/json'], { type: 'object' }), ...problems(...failures) },
  };
}

function registrySchemas(): Json {
  return { Component: componentSchema(), Query: schemaOf(querySchema, 'input'), Problem: PROBLEM };
}

function componentSchema(): Json {
  const text = (maxLength: number): Json => ({ type: 'string', maxLength });
  const lists = LIST_FIELDS.map((field) => [
    field,
    { type: 'array', items: text(LIMITS.text), maxItems: LIMITS.values },
  ]);
  return {
    type: 'object',
    required: ['uri', 'label'],
    properties: {
      uri: { ...text(LIMITS.uri), format: 'uri' },
      label: text(LIMITS.text),
      description: text(LIMITS.description),
      version: text(LIMITS.text),
      latest: { type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] },
      ...Object.fromEntries(lists),
    },
    description: `The plain names ${FIELDS.join(', ')}; the keys of JSON-LD beside them say the same.`,
  };
}

const PROBLEM = {
  type: 'object',
  description: 'RFC 9457',
  required: ['title', 'status', 'detail'],
  properties: {
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};

const unchanged = { description: 'The client has it already' };
const listing = content(COMPONENT_TYPES, {}, { type: 'array', items: reference('Component') });

function queryParameters(schema: z.ZodObject): Json[] {
  const { properties = {} } = schemaOf(schema, schema === pageSchema ? 'output' : 'input');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): { properties?: Json } & Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest as { properties?: Json } & Json;
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** A body in any of the types; only the JSON one has a shape that JSON Schema can tell. */
function content(
  types: readonly string[],
  schema: Json,
  jsonSchema: Json = schema,
): { description: string; content: Json } {
  const entries = types.map((type) => [type, { schema: type === 'application/json' ? jsonSchema : schema }]);
  return { description: 'The answer', content: Object.fromEntries(entries) };
}

function problems(...statuses: number[]): Json {
  const answer = {
    description: 'Why not',
    content: { 'application/problem+json': { schema: reference('Problem') } },
  };
  return Object.fromEntries(statuses.map((status) => [status, answer]));
}
