import type { Registry as MetricsRegistry } from 'prom-client';
import type { Feed, State } from '../../catalog/catalog.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { anyObject } from '../../lib/http/openapi-parts.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import type { LatestLists } from '../network/latest-lists.js';
import { content, type Feature, queryParameters } from '../openapi.js';
import { addFigures, type Figures } from '../operations/figures.js';
import type { EventStreams } from './event-streams.js';
import { FeedAnswers, feedCursor, unchangedFeed } from './feed-answers.js';
import { headOf } from './feed-json.js';
import { jsonPage, type PageSource, rdfPage } from './feed-pages.js';
import {
  addressWith,
  type PageParameters,
  pageSchema,
  rangeSchema,
  readFeedParameters,
} from './feed-parameters.js';
import { feedAddress, RDF_TYPES, type RdfType } from './feed-quads.js';
import { rangeAddress, rangeAsked, rangeNode, wholeRange } from './range-node.js';

/** The representations of the feed, the preferred one first. */
const HINTS = 'text/event-stream';
const PAGE_TYPES = ['application/json', ...RDF_TYPES] as const;
const FEED_TYPES = [...PAGE_TYPES, HINTS] as const;

export interface FeedParts extends PageSource {
  readonly latestLists: LatestLists;
  /** On which followers are told that something has changed. */
  readonly eventStreams: EventStreams;
}

const A_PAGE = anyObject('docs/feed.md says what stands in it');

/** What has changed (design, section 11): docs/feed.md says how it works. */
export function feedFeature(given: FeedParts, metrics: MetricsRegistry): Feature {
  const parts = { ...given, answers: new FeedAnswers(), counts: { deltas: 0, snapshots: 0 } };
  addFigures(metrics, feedFigures(parts));
  return {
    tag: { name: 'feed', description: 'What has changed, for software that keeps a copy of the node' },
    resources: [
      {
        path: '/feed',
        cors: ANY_ORIGIN,
        cached: ['GET'],
        methods: { GET: getFeed(parts) },
        operations: {
          GET: {
            id: 'getFeed',
            summary: 'What has changed since a cursor, or everything',
            description:
              'In pages that lead to the next one. In RDF a Linked Data Event Stream; as an event stream hints that the cursor has moved.',
            parameters: () => queryParameters(pageSchema, 'output'),
            answers: { 200: content(FEED_TYPES, A_PAGE), 304: undefined },
            refuses: [400, 406, 410, 503],
          },
        },
      },
      {
        path: '/feed/range',
        cors: ANY_ORIGIN,
        methods: { GET: getRange(parts) },
        operations: {
          GET: {
            id: 'getFeedRange',
            summary: 'A node of the event stream, to which its root leads',
            parameters: () => queryParameters(rangeSchema, 'output'),
            answers: { 200: content(RDF_TYPES), 304: undefined },
            refuses: [400, 406, 410, 503],
          },
        },
      },
      {
        path: '/feed/sources',
        cors: ANY_ORIGIN,
        methods: { GET: getSources(parts) },
        operations: {
          GET: {
            id: 'getFeedSources',
            summary: 'The digest of every source, by which a copy can be compared with the node',
            answers: { 200: content(['application/json'], A_PAGE), 304: undefined },
            refuses: [406, 503],
          },
        },
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

/** `GET /feed`: what has changed since a cursor; or everything, or the event stream, or a stream of hints. */
function getFeed(parts: Parts): Handler {
  const { catalog, latestLists, answers, counts } = parts;
  return async (c) => {
    const accept = c.req.header('accept');
    // A client that says `text/*` wants something to read to its end.
    const type = chooseRepresentation(accept, accept?.includes(HINTS) ? FEED_TYPES : PAGE_TYPES);
    const parameters = parametersOf(c.req.url);
    if (type === HINTS) return openStream(parts, c);
    const asked = readFeedParameters(pageSchema, parameters);
    const state = await catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const { digest } = await latestLists();
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
function membersPage(parts: Parts, asked: PageParameters, { type, state, maxBytes }: Order) {
  const naming = { ...state.naming, epoch: state.revision.epoch };
  const address = pageAddress(state, asked);
  return Object.values(asked).every((value) => value === undefined)
    ? rangeNode(parts, { range: wholeRange(state), isRoot: true, type, naming, maxBytes })
    : rdfPage(parts, { state, asked, maxBytes }, { type, address, naming });
}

/** The address of a page, however its parameters were written. */
function pageAddress({ naming }: State, { since, after, limit }: PageParameters): string {
  return addressWith(feedAddress(naming), { since, after, limit });
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
    const asked = readFeedParameters(rangeSchema, parametersOf(c.req.url));
    const state = await parts.catalog.state({ epoch: asked.epoch, position: asked.after });
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
      return { state, text: jsonText(headOf(state, state.feed.sources)) };
    });
  };
}
