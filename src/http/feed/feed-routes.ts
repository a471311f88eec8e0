import type { Registry as MetricsRegistry } from 'prom-client';
import type { Feed, State } from '../../catalog/catalog.js';
import { cursorText } from '../../core/cursor.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import {
  type Json,
  listOf,
  NUMBER,
  object,
  operation,
  parameter,
  problems,
  reference,
  TEXT,
} from '../../lib/http/openapi-parts.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import type { LatestLists } from '../network/latest-lists.js';
import { content, type Feature, SOURCE_KINDS, UNCHANGED } from '../openapi.js';
import { addFigures, type Figures } from '../operations/figures.js';
import type { EventStreams } from './event-streams.js';
import { FeedAnswers, feedCursor, unchangedFeed } from './feed-answers.js';
import { cursorIn, summariesOf } from './feed-json.js';
import { jsonPage, type PageSource, rdfPage } from './feed-pages.js';
import { addressWith, type FeedParameters, PAGE_SIZE, readParameters } from './feed-parameters.js';
import { feedAddress, RDF_TYPES, type RdfType } from './feed-quads.js';
import { rangeAddress, rangeAsked, rangeNode, wholeRange } from './range-node.js';

/** The representations of the feed, the preferred one first. */
const FEED_TYPES = ['application/json', ...RDF_TYPES, 'text/event-stream'] as const;

export interface FeedParts extends PageSource {
  readonly latestLists: LatestLists;
  /** On which followers are told that something has changed. */
  readonly eventStreams: EventStreams;
}

/** What has changed (design, section 11): docs/feed.md says how it works. */
export function feedFeature(given: FeedParts, metrics: MetricsRegistry): Feature {
  const parts = { ...given, answers: new FeedAnswers(), counts: { deltas: 0, snapshots: 0 } };
  addFigures(metrics, feedFigures(parts));
  return {
    tag: { name: 'feed', description: 'What has changed, for software that keeps a copy of the node' },
    schemas: () => FEED_SCHEMAS,
    resources: [
      {
        path: '/feed',
        cors: ANY_ORIGIN,
        methods: { GET: getFeed(parts) },
        operations: { GET: () => DESCRIBED.feed },
      },
      {
        path: '/feed/range',
        cors: ANY_ORIGIN,
        methods: { GET: getRange(parts) },
        operations: { GET: () => DESCRIBED.range },
      },
      {
        path: '/feed/sources',
        cors: ANY_ORIGIN,
        methods: { GET: getSources(parts) },
        operations: { GET: () => DESCRIBED.sources },
      },
    ],
  };
}

interface Parts extends FeedParts {
  readonly answers: FeedAnswers;
  /** Answers since the start, with what has changed since a cursor and with everything. */
  readonly counts: { deltas: number; snapshots: number };
}

function feedFigures({ catalog, eventStreams, counts }: Parts): Figures {
  const of = (value: (feed: Feed) => number) => async () => value((await catalog.state()).feed);
  return {
    registry_feed_head: ['Position of the latest change', of(({ position }) => position)],
    registry_feed_floor: ['Position up to which changes may be forgotten', of(({ floor }) => floor)],
    registry_feed_tombstones: ['Removals that are remembered', of(({ tombstones }) => tombstones)],
    registry_feed_readers: ['Streams of hints that are open', () => eventStreams.count],
    registry_feed_deltas_total: ['Answers with what has changed since a cursor', () => counts.deltas],
    registry_feed_snapshots_total: ['Answers with everything', () => counts.snapshots],
  };
}

type Asked = FeedParameters<'since' | 'after' | 'limit'>;

/** `GET /feed`: what has changed since a cursor; or everything, or the event stream, or a stream of hints. */
function getFeed(parts: Parts): Handler {
  const { catalog, latestLists, answers, counts } = parts;
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), FEED_TYPES);
    const parameters = parametersOf(c.req.url);
    if (type === 'text/event-stream') return openStream(parts, c);
    const asked = readParameters(parameters, ['since', 'after', 'limit']);
    const state = await catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const { digest } = await latestLists.at(state);
    const key = pageAddress(state, asked);
    const answer = await answers.answer(c, { type, state, key }, (maxBytes) =>
      type === 'application/json'
        ? jsonPage(parts, { state, asked, maxBytes })
        : membersPage(parts, asked, { type, state, maxBytes }),
    );
    if (asked.after === undefined) counts[asked.since ? 'deltas' : 'snapshots'] += 1;
    return { ...answer, headers: { ...answer.headers, 'feed-lists': digest } };
  };
}

interface Order {
  readonly type: RdfType;
  readonly state: State;
  readonly maxBytes: number;
}

/** Without parameters it is the root of the event stream. */
function membersPage(parts: Parts, asked: Asked, { type, state, maxBytes }: Order) {
  const naming = { ...state.naming, epoch: state.revision.epoch };
  const address = pageAddress(state, asked);
  return Object.values(asked).every((value) => value === undefined)
    ? rangeNode(parts, { range: wholeRange(state), isRoot: true, type, naming, maxBytes })
    : rdfPage(parts, { state, asked, maxBytes }, { type, address, naming });
}

/** The address of a page, however its parameters were written. */
function pageAddress({ naming }: State, { since, after, limit }: Asked): string {
  return addressWith(feedAddress(naming), { since: since && cursorText(since), after, limit });
}

/** A stream of server-sent events (HTML standard, section 9.2): whenever the node changes, its cursor. */
async function openStream({ eventStreams, catalog }: Parts, { req, client }: RouteContext): Promise<Answer> {
  const headers = {
    'content-type': 'text/event-stream',
    vary: 'Accept',
    'cache-control': 'no-store',
    // nginx would hold events back until its buffer is full.
    'x-accel-buffering': 'no',
    ...feedCursor(await catalog.state()),
  };
  if (req.method === 'HEAD') return { status: 200, headers };
  const body = eventStreams.open(req.header('last-event-id'), client);
  return { status: 200, headers, body, endless: true };
}

/** `GET /feed/range`: a node of the event stream below its root, to which the root leads. */
function getRange(parts: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), RDF_TYPES);
    const asked = readParameters(parametersOf(c.req.url), ['epoch', 'after', 'until']);
    const { epoch, after } = asked;
    const known = epoch !== undefined && after !== undefined ? { epoch, position: after } : undefined;
    const state = await parts.catalog.state(known);
    const range = rangeAsked(asked, state);
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const naming = { ...state.naming, epoch: state.revision.epoch };
    const key = rangeAddress(range, naming);
    return parts.answers.answer(c, { type, state, key }, (maxBytes) =>
      rangeNode(parts, { range, isRoot: false, type, naming, maxBytes }),
    );
  };
}

/** `GET /feed/sources`: the summary of every source. */
function getSources({ catalog, answers }: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const state = await catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    return answers.answer(c, { type, state, key: '/feed/sources' }, async () => {
      const network = state.networkRevision.number;
      const sources = summariesOf(state.feed.sources);
      return { state, text: jsonText({ cursor: cursorIn(state), network, sources }) };
    });
  };
}

const POSITION = { type: 'integer', minimum: 0 };
const KIND = { ...TEXT, enum: [...SOURCE_KINDS] };
const LIMIT = { type: 'integer', minimum: 1, maximum: PAGE_SIZE.most, default: PAGE_SIZE.usual };

const SINCE = { ...TEXT, description: 'A cursor that this node has given: only what has changed since' };
const AFTER = { ...POSITION, description: 'Only what has a greater position' };
const UNTIL = { ...POSITION, description: 'Only what has no greater position' };
const A_PAGE = {
  ...LIMIT,
  description: 'Changes on a page; it may have fewer, and still lead to another one',
};
const EPOCH = { ...TEXT, description: 'The first part of a cursor' };

const CURSOR = {
  'Feed-Cursor': { description: 'The state that the answer belongs to', schema: reference('Cursor') },
};
const LISTS = {
  'Feed-Lists': {
    description:
      'What `/peers` and `/storage` say, in short: the digest of their entries, a point, and the digest of their addresses',
    schema: { ...TEXT, pattern: '^[0-9a-f]{12}\\.[0-9a-f]{12}$' },
  },
};

const DESCRIBED = {
  feed: operation({
    id: 'getFeed',
    summary: 'What has changed since a cursor, or everything',
    description:
      'In pages, which lead to the next one. In RDF a Linked Data Event Stream; as an event stream hints that the cursor has moved.',
    parameters: [
      parameter('since', 'query', SINCE),
      parameter('after', 'query', AFTER),
      parameter('limit', 'query', A_PAGE),
    ],
    responses: {
      200: { ...content(FEED_TYPES, reference('FeedPage')), headers: { ...CURSOR, ...LISTS } },
      304: UNCHANGED,
      ...problems(400, 406, 410, 503),
    },
  }),
  range: operation({
    id: 'getFeedRange',
    summary: 'A node of the event stream',
    description: 'The root of the stream leads to it.',
    parameters: [
      parameter('epoch', 'query', EPOCH, true),
      parameter('after', 'query', AFTER),
      parameter('until', 'query', UNTIL, true),
    ],
    responses: {
      200: { ...content(RDF_TYPES), headers: CURSOR },
      304: UNCHANGED,
      ...problems(400, 406, 410, 503),
    },
  }),
  sources: operation({
    id: 'getFeedSources',
    summary: 'The digest of every source',
    description: 'By which a copy can be compared with the node.',
    responses: {
      200: { ...content(['application/json'], reference('FeedSources')), headers: CURSOR },
      304: UNCHANGED,
      ...problems(406, 503),
    },
  }),
};

const PAGE = {
  cursor: reference('Cursor'),
  network: { type: 'integer', description: 'The revision of /peers and /storage' },
  sources: listOf(reference('SourceSummary')),
};
const DIGEST = { ...TEXT, pattern: '^[0-9a-f]{32}$' };

const FEED_SCHEMAS: Json = {
  Cursor: {
    ...TEXT,
    pattern: '^[0-9a-z]{1,16}\\.\\d+\\.[0-9a-f]{8}$',
    description: 'Names a state of the node',
  },
  Change: object(
    {
      position: POSITION,
      at: { type: 'integer', description: 'When, ms since the Unix epoch' },
      type: { ...TEXT, enum: ['Create', 'Update', 'Delete'] },
      source: object({ kind: KIND, url: TEXT }),
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
    ...{ kind: KIND, url: TEXT, rank: NUMBER, count: NUMBER, position: POSITION, digest: DIGEST },
  }),
  FeedPage: object(
    {
      ...PAGE,
      changes: listOf(reference('Change')),
      next: { ...TEXT, format: 'uri', description: 'The next page' },
    },
    ['next'],
  ),
  FeedSources: object(PAGE),
};
