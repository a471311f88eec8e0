import { matchSchema } from '../../component/match-question.js';
import { querySchema } from '../../component/query.js';
import { isLoopback } from '../../config/url.js';
import type { Config } from '../../config.js';
import { compareText } from '../../lib/compare-text.js';
import {
  type Json,
  json,
  listOf,
  operation,
  parameter,
  problems,
  reference,
  type Tag,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { isWritable } from '../access/operator.js';
import { POSTED_TYPES } from '../components/posted-components.js';
import { optionSchema, pageSchema } from '../components/selection.js';
import { COMPONENT_TYPES } from '../representation.js';
import { FEED_PATHS, FEED_SCHEMAS } from './feed-paths.js';
import { nodePaths } from './node-paths.js';
import {
  content,
  jsonBody,
  LISTING,
  MATCHES,
  queryParameters,
  registrySchemas,
  UNCHANGED,
} from './openapi-schema.js';
import { operatorPaths } from './operator-paths.js';

/** The description of another service on the same node. Its paths include the mount point. */
export interface OpenApiPart {
  readonly paths: Json;
  readonly schemas?: Json;
  /** The groups of its operations. */
  readonly tags?: readonly Tag[];
}

/** Addresses that answer with HTML for people and nothing else; `/frame` is the sandbox inside of pages. */
const PAGES = ['/network', '/data', '/docs', '/frame'];
const PAGES_NOTE = `Pages for people are no operations, and may change at any time: ${PAGES.join(', ')}. Nor are the files below /demo and /starter.`;
const SLASHES_NOTE = 'A slash at the end of a path means nothing, unless it belongs to a uri in the path.';

const TAGS: readonly Tag[] = [
  { name: 'components', description: 'Which component renders which data shape' },
  { name: 'feed', description: 'What has changed, for software that keeps a copy of the node' },
  { name: 'network', description: 'The nodes and pods that this node knows' },
  { name: 'operation', description: 'How the node is, for its operator' },
  { name: 'tools', description: 'For web developers and authors of components' },
];

/**
 * The OpenAPI 3.1 description of a node as it is configured. Queries, parameters and the limits of metadata are taken
 * from the schemas that check the requests.
 */
export function describeApi(
  config: Pick<Config, 'baseUrl' | 'write' | 'mode'>,
  version: string,
  parts: readonly OpenApiPart[] = [],
): Json {
  const writable = isWritable(config);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Component registry node',
      version,
      description: `Which semantic web component renders which data shape.\n\n${SLASHES_NOTE}\n\n${PAGES_NOTE}`,
      contact: { name: 'The operator of this node', url: config.baseUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl(config.baseUrl) }],
    // Nothing is asked for unless an operation says so.
    security: [],
    tags: [...TAGS, ...parts.flatMap(({ tags = [] }) => tags)].sort((one, other) =>
      compareText(one.name, other.name),
    ),
    paths: Object.assign(
      {},
      componentPaths(writable),
      FEED_PATHS,
      nodePaths(),
      operatorPaths(),
      ...parts.map(({ paths }) => paths),
    ),
    components: {
      schemas: Object.assign(
        {},
        registrySchemas(writable),
        FEED_SCHEMAS,
        ...parts.map(({ schemas }) => schemas ?? {}),
      ),
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

function componentPaths(writable: boolean): Json {
  const description = 'The uri of the component, as it is or percent-encoded';
  const uri = parameter('uri', 'path', { ...TEXT, description });
  return {
    '/component': { get: listOperation(), post: writable ? publishOperation() : undefined },
    '/component/query': { post: queryOperation() },
    '/match': { post: matchOperation() },
    '/c/{uri}': { get: getOperation(uri), delete: writable ? deleteOperation(uri) : undefined },
  };
}

function listOperation(): Json {
  return operation({
    id: 'listComponents',
    tag: 'components',
    summary: 'Everything, a page of it, or what the parameters select',
    description: 'In the order of uris. The `Link` header of a page leads to the next one.',
    parameters: [pageSchema, optionSchema, querySchema].flatMap(queryParameters),
    responses: { 200: LISTING, 304: UNCHANGED, ...problems(406, 422, 503) },
  });
}

function queryOperation(): Json {
  return operation({
    id: 'queryComponents',
    tag: 'components',
    summary: 'The components for which all constraints hold',
    description: 'An empty object selects all components.',
    parameters: [pageSchema, optionSchema].flatMap(queryParameters),
    requestBody: { required: true, content: json(reference('Query')) },
    responses: { 200: LISTING, ...problems(400, 406, 413, 415, 422, 503) },
  });
}

function matchOperation(): Json {
  return operation({
    id: 'matchComponents',
    tag: 'components',
    summary: 'The components that fit data best, and why',
    description: 'The best first. Classes, shapes and properties are enough: values stay where they are.',
    requestBody: jsonBody(matchSchema),
    responses: { 200: MATCHES, ...problems(400, 413, 415, 422, 503) },
  });
}

function getOperation(uri: Json): Json {
  return operation({
    id: 'getComponent',
    tag: 'components',
    summary: 'One component',
    description:
      'Behind a percent-encoded uri, `?graphs=all` gives every description of it. Browsers get a page.',
    parameters: [uri, ...queryParameters(optionSchema.pick({ graphs: true }))],
    responses: {
      200: content(COMPONENT_TYPES, reference('Component')),
      304: UNCHANGED,
      ...problems(400, 404, 406, 422, 503),
    },
  });
}

function publishOperation(): Json {
  const component = reference('NewComponent');
  const list = { oneOf: [listOf(component), component] };
  return operation({
    id: 'publishComponents',
    tag: 'components',
    summary: "Add or replace components among the node's own statements",
    description: 'All of them or none. What `GET` answers can be sent.',
    security: [{}, { operator: [] }],
    requestBody: { required: true, content: content(POSTED_TYPES, list).content },
    responses: {
      200: { ...LISTING, description: 'Nothing new; what was saved' },
      201: { ...LISTING, description: 'What was saved' },
      ...problems(400, 401, 403, 406, 408, 413, 415, 422, 500, 503, 507),
    },
  });
}

function deleteOperation(uri: Json): Json {
  return operation({
    id: 'deleteComponent',
    tag: 'components',
    summary: "Take back the node's own statement about a component",
    description: 'What pods and peers say of it stays, and can only be deleted there.',
    security: [{}, { operator: [] }],
    parameters: [uri],
    responses: { 204: { description: 'Gone' }, ...problems(400, 401, 403, 404, 500, 503, 507) },
  });
}
