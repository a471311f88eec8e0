import { matchSchema } from '../../component/match-question.js';
import { querySchema } from '../../component/query.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import {
  anyObject,
  json,
  listOf,
  parameter,
  reference,
  schemaOf,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import type { Handler } from '../../lib/http/resource.js';
import { isWritable } from '../access/operator.js';
import { corsFor } from '../access/own-origin.js';
import type { MatchParts } from '../matching/find-matches.js';
import { content, type Feature, FOR_OPERATOR, queryParameters } from '../openapi.js';
import { get, post, type Route, remove } from '../own-resource.js';
import { COMPONENT_TYPES, type Serving } from '../representation.js';
import { componentSchemas } from './component-schemas.js';
import { listComponents, queryComponents } from './listing.js';
import { matchComponents } from './match.js';
import { publishComponents, type WritingParts } from './publish.js';
import { optionSchema, pageSchema } from './selection.js';
import { deleteComponent, getComponent } from './single-component.js';

/** Largest body of a query, in bytes; sensible queries have a few hundred. */
const QUERY_BYTES = 65_536;
/** The same of a question for matches: a few hundred IRIs. */
const MATCH_BYTES = 131_072;

interface ComponentParts {
  readonly serving: Serving;
  readonly writing: WritingParts;
  readonly reports: MatchParts['reports'];
  /** Answers browsers that ask for a component. */
  readonly page: Handler;
}

const LISTING = content(COMPONENT_TYPES, listOf(reference('Component')));
const POSTED = { oneOf: [listOf(reference('NewComponent')), reference('NewComponent')] };
const MATCHES = listOf(
  anyObject(
    '`component`, the `invocation` to use, `score`, `because` (the weightiest reason first), `missing`',
  ),
);
const URI = parameter('uri', 'path', {
  ...TEXT,
  description: 'The uri of the component, as it is or percent-encoded',
});
/** Who may write without a token, where the node is configured so. */
const FOR_WRITERS = [{}, ...FOR_OPERATOR];
const pageParameters = () => [...queryParameters(pageSchema, 'output'), ...queryParameters(optionSchema)];

/** Listing, querying, matching, publishing: which component renders which data shape. */
export function componentFeature({ serving, writing, reports, page }: ComponentParts): Feature {
  const { config } = writing;
  const isOpen = isWritable(config);
  const most = (bytes: number) => Math.min(config.limits.bodyBytes, bytes);
  return {
    tag: { name: 'components', description: 'Which component renders which data shape' },
    schemas: () => componentSchemas(isOpen),
    routes: [
      get('/component', listComponents(serving), {
        cors: corsFor(config, 'POST'),
        cached: true,
        id: 'listComponents',
        summary: 'Everything, a page of it, or what the parameters select',
        description: 'In the order of uris. The `Link` header of a page leads to the next one.',
        parameters: () => [...pageParameters(), ...queryParameters(querySchema)],
        answers: { 200: LISTING, 304: undefined },
        refuses: [406, 422, 503],
      }),
      post('/component/query', queryComponents(serving, most(QUERY_BYTES)), {
        cors: ANY_ORIGIN,
        cached: true,
        id: 'queryComponents',
        summary: 'The components for which all constraints hold',
        description: 'An empty object selects all components.',
        parameters: pageParameters,
        takes: () => json(reference('Query')),
        answers: { 200: LISTING },
        refuses: [406, 413, 415, 422, 503],
      }),
      post('/match', matchComponents({ catalog: serving.catalog, reports }, most(MATCH_BYTES)), {
        cors: ANY_ORIGIN,
        cached: true,
        id: 'matchComponents',
        summary: 'The components that fit data best, and why',
        description: 'Best first. Classes, shapes and properties are enough: values stay where they are.',
        takes: () => json(schemaOf(matchSchema)),
        answers: { 200: json(MATCHES) },
        refuses: [413, 415, 422, 503],
      }),
      get('/c/*', getComponent(serving, page), {
        cors: corsFor(config, 'DELETE'),
        cached: true,
        id: 'getComponent',
        summary: 'One component',
        description: 'Behind an encoded uri, `?graphs=all` gives every description. Browsers get a page.',
        parameters: () => [URI, ...queryParameters(optionSchema.pick({ graphs: true }))],
        answers: { 200: content(COMPONENT_TYPES, reference('Component')), 304: undefined },
        refuses: [404, 406, 422, 503],
      }),
      ...(isOpen ? writingRoutes(writing, serving) : []),
    ],
  };
}

/** What a node has that can be written to. */
function writingRoutes(writing: WritingParts, serving: Serving): Route[] {
  return [
    post('/component', publishComponents(writing, serving), {
      id: 'publishComponents',
      summary: "Add or replace components among the node's own statements",
      description: 'All of them or none. What `GET` answers can be sent.',
      security: FOR_WRITERS,
      takes: () => content(COMPONENT_TYPES, POSTED),
      answers: { 200: LISTING, 201: LISTING },
      refuses: [401, 403, 406, 408, 413, 415, 422, 500, 503, 507],
    }),
    remove('/c/*', deleteComponent(writing, serving.catalog), {
      id: 'deleteComponent',
      summary: "Take back the node's own statement about a component",
      description: 'What pods and peers say of it stays, and can only be deleted there.',
      security: FOR_WRITERS,
      parameters: () => [URI],
      answers: { 204: undefined },
      refuses: [401, 403, 404, 500, 503, 507],
    }),
  ];
}
