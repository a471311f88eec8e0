import type { Registry as MetricsRegistry } from 'prom-client';
import { matchSchema } from '../../component/match-question.js';
import { querySchema } from '../../component/query.js';
import type { Config } from '../../config.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import {
  json,
  listOf,
  operation,
  parameter,
  problems,
  reference,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { isWritable } from '../access/operator.js';
import { corsFor } from '../access/own-origin.js';
import { content, type Feature, jsonBody, queryParameters, UNCHANGED } from '../openapi.js';
import { addFigures } from '../operations/figures.js';
import { COMPONENT_TYPES } from '../representation.js';
import { componentSchemas, MATCHES } from './component-schemas.js';
import { listComponents, queryComponents } from './listing.js';
import { ListingCopies } from './listing-copies.js';
import { matchComponents } from './match.js';
import { POSTED_TYPES } from './posted-components.js';
import { type PublishParts, publishComponents } from './publish.js';
import { optionSchema, pageSchema } from './selection.js';
import { deleteComponent, getComponent, type SingleComponentParts } from './single-component.js';

export const QUERY_PATH = '/component/query';
/** Largest body of a query, in bytes; sensible queries have a few hundred. */
const QUERY_BYTES = 65_536;
/** The same of a question for matches: a few hundred IRIs. */
const MATCH_BYTES = 131_072;

export interface ComponentParts
  extends SingleComponentParts,
    PublishParts,
    Omit<Parameters<typeof matchComponents>[0], 'catalog'> {
  readonly config: Pick<Config, 'baseUrl' | 'write' | 'mode' | 'limits' | 'operatorToken'>;
}

const LISTING = content(COMPONENT_TYPES, listOf(reference('Component')));
const URI = parameter('uri', 'path', {
  ...TEXT,
  description: 'The uri of the component, as it is or percent-encoded',
});
/** Who may write without a token, where the node is configured so. */
const FOR_WRITERS = { security: [{}, { operator: [] }] };
const pageParameters = () => [...queryParameters(pageSchema, 'output'), ...queryParameters(optionSchema)];

/** Listing, querying, matching, publishing: which component renders which data shape. */
export function componentFeature(parts: ComponentParts, metrics: MetricsRegistry): Feature {
  const { config } = parts;
  const copies = new ListingCopies();
  addFigures(metrics, {
    registry_compressed_listing_bytes: [
      'Bytes of the compressed copies of the whole listing',
      () => copies.bytes,
    ],
  });
  const isOpen = isWritable(config);
  const most = (bytes: number) => Math.min(config.limits.bodyBytes, bytes);
  return {
    tag: { name: 'components', description: 'Which component renders which data shape' },
    schemas: () => componentSchemas(isOpen),
    resources: [
      {
        path: '/component',
        cors: corsFor(config, 'POST'),
        cached: ['GET'],
        methods: {
          GET: listComponents({ ...parts, copies }),
          ...(isOpen && { POST: publishComponents(parts) }),
        },
        operations: { GET: describeListing, POST: describePublishing },
      },
      {
        path: QUERY_PATH,
        cors: ANY_ORIGIN,
        cached: ['POST'],
        methods: { POST: queryComponents(parts, most(QUERY_BYTES)) },
        operations: { POST: describeQuery },
      },
      {
        path: '/match',
        cors: ANY_ORIGIN,
        cached: ['POST'],
        methods: { POST: matchComponents(parts, most(MATCH_BYTES)) },
        operations: { POST: describeMatch },
      },
      {
        path: '/c/*',
        cors: corsFor(config, 'DELETE'),
        cached: ['GET'],
        methods: { GET: getComponent(parts), ...(isOpen && { DELETE: deleteComponent(parts) }) },
        operations: { GET: describeComponent, DELETE: describeDeleting },
      },
    ],
  };
}

const describeListing = () =>
  operation({
    id: 'listComponents',
    summary: 'Everything, a page of it, or what the parameters select',
    description: 'In the order of uris. The `Link` header of a page leads to the next one.',
    parameters: [...pageParameters(), ...queryParameters(querySchema)],
    responses: { 200: LISTING, 304: UNCHANGED, ...problems(406, 422, 503) },
  });

const describePublishing = () => {
  const component = reference('NewComponent');
  const list = { oneOf: [listOf(component), component] };
  return operation({
    id: 'publishComponents',
    summary: "Add or replace components among the node's own statements",
    description: 'All of them or none. What `GET` answers can be sent.',
    ...FOR_WRITERS,
    requestBody: { required: true, content: content(POSTED_TYPES, list).content },
    responses: {
      200: { ...LISTING, description: 'Nothing new; what was saved' },
      201: { ...LISTING, description: 'What was saved' },
      ...problems(400, 401, 403, 406, 408, 413, 415, 422, 500, 503, 507),
    },
  });
};

const describeQuery = () =>
  operation({
    id: 'queryComponents',
    summary: 'The components for which all constraints hold',
    description: 'An empty object selects all components.',
    parameters: pageParameters(),
    requestBody: { required: true, content: json(reference('Query')) },
    responses: { 200: LISTING, ...problems(400, 406, 413, 415, 422, 503) },
  });

const describeMatch = () =>
  operation({
    id: 'matchComponents',
    summary: 'The components that fit data best, and why',
    description: 'The best first. Classes, shapes and properties are enough: values stay where they are.',
    requestBody: jsonBody(matchSchema),
    responses: { 200: content(['application/json'], MATCHES), ...problems(400, 413, 415, 422, 503) },
  });

const describeComponent = () =>
  operation({
    id: 'getComponent',
    summary: 'One component',
    description:
      'Behind a percent-encoded uri, `?graphs=all` gives every description of it. Browsers get a page.',
    parameters: [URI, ...queryParameters(optionSchema.pick({ graphs: true }))],
    responses: {
      200: content(COMPONENT_TYPES, reference('Component')),
      304: UNCHANGED,
      ...problems(400, 404, 406, 422, 503),
    },
  });

const describeDeleting = () =>
  operation({
    id: 'deleteComponent',
    summary: "Take back the node's own statement about a component",
    description: 'What pods and peers say of it stays, and can only be deleted there.',
    ...FOR_WRITERS,
    parameters: [URI],
    responses: { 204: { description: 'Gone' }, ...problems(400, 401, 403, 404, 500, 503, 507) },
  });
