import { querySchema } from '../../component/query.js';
import type { Config } from '../../config.js';
import { type Json, problems, reference } from '../../lib/http/openapi-parts.js';
import { isWritable } from '../access/operator.js';
import { POSTED_TYPES } from '../components/posted-components.js';
import { COMPONENT_TYPES } from '../components/representation.js';
import { formatSchema, pageSchema } from '../components/selection.js';
import { NETWORK_TYPES } from '../network/network-list.js';
import { content, json, LISTING, queryParameters, registrySchemas, UNCHANGED } from './openapi-schema.js';

/** The description of another service on the same node. Its paths include the mount point. */
export interface OpenApiPart {
  readonly paths: Json;
  readonly schemas?: Json;
}

/**
 * The OpenAPI 3.1 description of a node as it is configured. Queries, parameters and the limits of metadata are taken
 * from the schemas that check the requests.
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
    paths: Object.assign(
      {},
      componentPaths(isWritable(config)),
      NODE_PATHS,
      ...parts.map(({ paths }) => paths),
    ),
    components: {
      schemas: Object.assign({}, registrySchemas(), ...parts.map(({ schemas }) => schemas ?? {})),
      securitySchemes: { operator: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function componentPaths(writable: boolean): Json {
  const uri = { name: 'uri', in: 'path', required: true, schema: { type: 'string' } };
  return {
    '/component': {
      get: {
        summary: 'Everything, a page of it, or what the parameters select',
        parameters: [pageSchema, formatSchema, querySchema].flatMap((schema) => queryParameters(schema)),
        responses: { 200: LISTING, 304: UNCHANGED, ...problems(406, 422, 503) },
      },
      ...(writable ? { post: publishOperation() } : {}),
    },
    '/component/query': {
      post: {
        summary: 'The components for which all constraints hold',
        parameters: queryParameters(pageSchema),
        requestBody: { required: true, content: json(reference('Query')) },
        responses: { 200: LISTING, ...problems(400, 406, 413, 415, 422, 503) },
      },
    },
    '/c/{uri}': {
      get: {
        summary: 'One component; its uri as it is, or percent-encoded',
        parameters: [uri],
        responses: {
          200: content(COMPONENT_TYPES, {}, reference('Component')),
          304: UNCHANGED,
          ...problems(400, 404, 406, 503),
        },
      },
      ...(writable ? { delete: deleteOperation(uri) } : {}),
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
      200: { ...LISTING, description: 'Nothing new; what was saved' },
      201: { ...LISTING, description: 'What was saved' },
      ...problems(400, 401, 403, 406, 413, 415, 422, 503, 507),
    },
  };
}

function deleteOperation(uri: Json): Json {
  return {
    summary: "Take back the node's own statement about a component",
    security: [{}, { operator: [] }],
    parameters: [uri],
    responses: { 204: { description: 'Gone' }, ...problems(400, 401, 403, 404, 503, 507) },
  };
}

function addressOperation(summary: string): Json {
  const list = { type: 'array', items: { type: 'string', format: 'uri' } };
  return {
    summary,
    responses: { 200: content(NETWORK_TYPES, {}, list), 304: UNCHANGED, ...problems(406, 503) },
  };
}

function lintOperation(): Json {
  const form = { type: 'object', required: ['url'], properties: { url: { type: 'string', format: 'uri' } } };
  return {
    summary: 'Check a metadata document and the modules that it names',
    requestBody: { required: true, ...content(['application/x-www-form-urlencoded'], form) },
    responses: {
      200: content(['application/json', 'text/html'], {}, { type: 'object' }),
      ...problems(403, 406, 413, 415, 422, 429),
    },
  };
}

function plainOperation(summary: string, ...failures: number[]): Json {
  return {
    summary,
    responses: { 200: content(['application/json'], { type: 'object' }), ...problems(...failures) },
  };
}

/** Peers, pods and the node itself. */
const NODE_PATHS: Json = {
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
  '/hint': {
    post: {
      summary: 'Say that a pod or a document has changed',
      description:
        'A node that reads it polls it soon. Whether it does is not told. Once a minute for a topic, 60 times an hour for a client.',
      requestBody: {
        required: true,
        ...content(['application/json'], {
          type: 'object',
          required: ['topic'],
          properties: { topic: { type: 'string', format: 'uri', maxLength: 2048 } },
          additionalProperties: false,
        }),
      },
      responses: { 202: { description: 'Heard' }, ...problems(400, 413, 415, 422) },
    },
  },
  '/metrics': {
    get: {
      summary: 'Metrics for Prometheus',
      responses: { 200: content(['text/plain'], { type: 'string' }) },
    },
  },
  '/openapi.json': { get: plainOperation('This description') },
  '/lint': {
    get: { summary: 'The form for it', responses: { 200: content(['text/html'], { type: 'string' }) } },
    post: lintOperation(),
  },
  '/host.js': {
    get: {
      summary: 'The library for host applications, an ES module',
      responses: { 200: content(['text/javascript'], { type: 'string' }), 304: UNCHANGED },
    },
  },
  '/': {
    get: {
      summary: 'A page for people, links for programs',
      responses: { 200: content(['application/json', 'text/html'], {}), ...problems(406) },
    },
  },
};
