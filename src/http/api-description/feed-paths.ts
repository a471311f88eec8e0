import {
  type Json,
  listOf,
  NUMBER,
  type OperationTexts,
  object,
  operation,
  parameter,
  problems,
  reference,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { FEED_TYPES } from '../feed/feed.js';
import { PAGE_SIZE } from '../feed/feed-request.js';
import { RDF_TYPES } from '../feed/written-page.js';
import { content, SOURCE_KINDS, UNCHANGED } from './openapi-schema.js';

const position = { type: 'integer', minimum: 0 };
const kind = { ...TEXT, enum: [...SOURCE_KINDS] };
const limit = { type: 'integer', minimum: 1, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual };

const PARAMETERS = {
  since: { ...TEXT, description: 'A cursor that this node has given: only what has changed since' },
  after: { ...position, description: 'Only what has a greater position' },
  until: { ...position, description: 'Only what has no greater position' },
  limit: { ...limit, description: 'Changes on a page; it may have fewer, and still lead to another one' },
  epoch: { ...TEXT, description: 'The first part of a cursor' },
} satisfies Record<string, Json>;

const NEEDED: readonly string[] = ['epoch', 'until'];

interface FeedOperation extends Omit<OperationTexts, 'tag'> {
  readonly parameters?: readonly (keyof typeof PARAMETERS)[];
  /** Headers of the answer, beside the cursor. */
  readonly headers?: Json;
  readonly types: readonly string[];
  readonly schema?: string;
  readonly failures: readonly number[];
}

function get({
  parameters = [],
  headers: more = {},
  types,
  schema,
  failures,
  ...TEXTs
}: FeedOperation): Json {
  const headers = {
    'Feed-Cursor': { description: 'The state that the answer belongs to', schema: reference('Cursor') },
    ...more,
  };
  const answer = content(types, schema === undefined ? TEXT : reference(schema));
  return {
    get: operation({
      ...TEXTs,
      tag: 'feed',
      parameters: [
        ...parameters.map((name) => parameter(name, 'query', PARAMETERS[name], NEEDED.includes(name))),
      ],
      responses: { 200: { ...answer, headers }, 304: UNCHANGED, ...problems(...failures) },
    }),
  };
}

const FEED_LISTS: Json = {
  description:
    'What `/peers` and `/storage` say, in short: the digest of their entries, a point, and the digest of their addresses',
  schema: { ...TEXT, pattern: '^[0-9a-f]{12}\\.[0-9a-f]{12}$' },
};

/** The paths of the change feed; docs/feed.md says how they work together. */
export const FEED_PATHS: Json = {
  '/feed': get({
    id: 'getFeed',
    summary: 'What has changed since a cursor, or everything',
    description:
      'In pages, which lead to the next one. In RDF a Linked Data Event Stream; as an event stream hints that the cursor has moved.',
    parameters: ['since', 'after', 'limit'],
    headers: { 'Feed-Lists': FEED_LISTS },
    types: FEED_TYPES,
    schema: 'FeedPage',
    failures: [400, 406, 410, 503],
  }),
  '/feed/range': get({
    id: 'getFeedRange',
    summary: 'A node of the event stream',
    description: 'The root of the stream leads to it.',
    parameters: ['epoch', 'after', 'until'],
    types: RDF_TYPES,
    failures: [400, 406, 410, 503],
  }),
  '/feed/sources': get({
    id: 'getFeedSources',
    summary: 'The digest of every source',
    description: 'By which a copy can be compared with the node.',
    types: ['application/json'],
    schema: 'FeedSources',
    failures: [400, 406, 503],
  }),
};

const cursor = reference('Cursor');
const network = {
  type: 'integer',
  description: 'The revision of /peers and /storage',
};
const next = { ...TEXT, format: 'uri', description: 'The next page' };
const changes = listOf(reference('Change'));
const sources = listOf(reference('SourceSummary'));

export const FEED_SCHEMAS: Json = {
  Cursor: {
    ...TEXT,
    pattern: '^[0-9a-z]{1,16}\\.\\d+\\.[0-9a-f]{8}$',
    description: 'Names a state of the node',
  },
  Change: object(
    {
      position,
      at: { type: 'integer', description: 'When, ms since the Unix epoch' },
      type: { ...TEXT, enum: ['Create', 'Update', 'Delete'] },
      source: object({ kind, url: TEXT }),
      graph: { ...TEXT, description: 'The document that says it' },
      rank: { type: 'integer', description: 'Of the statement among those of its source; 0 when absent' },
      uri: { ...TEXT, description: 'Of the component' },
      hash: { ...TEXT, description: 'Of the component; absent when it is no longer described' },
      component: reference('Metadata'),
      pin: object({ integrity: TEXT, changed: TEXT }),
    },
    ['rank', 'hash', 'component', 'pin'],
  ),
  SourceSummary: object({
    kind,
    url: TEXT,
    rank: NUMBER,
    count: NUMBER,
    position,
    digest: { ...TEXT, pattern: '^[0-9a-f]{32}$' },
  }),
  FeedPage: object({ cursor, network, sources, changes, next }, ['next']),
  FeedSources: object({ cursor, network, sources }),
};
