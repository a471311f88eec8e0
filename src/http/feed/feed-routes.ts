import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Registry as MetricsRegistry } from 'prom-client';
import type { Feed, State } from '../../catalog/catalog.js';
import { cursorOf, cursorText } from '../../core/cursor.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { formatHttpDate } from '../../lib/http/headers/http-date.js';
import { acceptsGzip, chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonText } from '../../lib/http/json-answer.js';
import { anyObject } from '../../lib/http/openapi-parts.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import { namesTag } from '../../lib/http/response/conditional.js';
import { fingerprintOf } from '../entity-tags.js';
import { content, type Feature, queryParameters } from '../openapi.js';
import { addFigures, type Figures } from '../operations/figures.js';
import { get } from '../own-resource.js';
import { parametersIn } from '../parameters.js';
import type { EventStreams } from './event-streams.js';
import { headOf, jsonPage, type PageSource, type PageText, rdfPage } from './feed-pages.js';
import { pageSchema, rangeSchema } from './feed-parameters.js';
import { RDF_TYPES } from './feed-quads.js';
import { rangeAsked, rangeNode } from './range-node.js';
import { UnsentPages } from './unsent-pages.js';

/** The representations of the feed, the preferred one first. */
const HINTS = 'text/event-stream';
const PAGE_TYPES = ['application/json', ...RDF_TYPES] as const;
const FEED_TYPES = [...PAGE_TYPES, HINTS] as const;

interface FeedParts extends Omit<PageSource, 'maxBytes'> {
  /** On which followers are told that something has changed. */
  readonly eventStreams: EventStreams;
}

const A_PAGE = anyObject('docs/feed.md says what stands in it');

/** What has changed (design, section 11): docs/feed.md says how it works. */
export function feedFeature(given: FeedParts, metrics: MetricsRegistry): Feature {
  const parts = { ...given, unsent: new UnsentPages(), counts: { deltas: 0, snapshots: 0 } };
  addFigures(metrics, feedFigures(parts));
  const shared = { cors: ANY_ORIGIN, cached: true };
  return {
    tag: { name: 'feed', description: 'What has changed, for software that keeps a copy of the node' },
    routes: [
      get('/feed', getFeed(parts), {
        ...shared,
        id: 'getFeed',
        summary: 'What has changed since a cursor, or everything',
        description:
          'In pages that lead to the next one. In RDF a Linked Data Event Stream; as an event stream hints that the cursor has moved.',
        parameters: () => queryParameters(pageSchema, 'output'),
        answers: { 200: content(FEED_TYPES, A_PAGE), 304: undefined },
        refuses: [406, 410, 503],
      }),
      get('/feed/range', getRange(parts), {
        ...shared,
        id: 'getFeedRange',
        summary: 'A node of the event stream, to which its root leads',
        parameters: () => queryParameters(rangeSchema, 'output'),
        answers: { 200: content(RDF_TYPES), 304: undefined },
        refuses: [406, 410, 503],
      }),
      get('/feed/sources', getSources(parts), {
        ...shared,
        id: 'getFeedSources',
        summary: 'The digest of every source, by which a copy can be compared with the node',
        answers: { 200: content(['application/json'], A_PAGE), 304: undefined },
        refuses: [406, 503],
      }),
    ],
  };
}

interface Parts extends FeedParts {
  readonly unsent: UnsentPages;
  /** Pages made since the start, with what has changed since a cursor and with everything. */
  readonly counts: { deltas: number; snapshots: number };
}

function feedFigures({ catalog, eventStreams, counts }: Parts): Figures {
  const of = (value: (feed: Feed) => number) => async () => value((await catalog.state()).feed);
  return {
    registry_feed_head: ['Position of the latest change', of(({ position }) => position)],
    registry_feed_floor: ['Position up to which changes may be forgotten', of(({ floor }) => floor)],
    registry_feed_tombstones: ['Removals that are remembered', of(({ tombstones }) => tombstones)],
    registry_feed_readers: ['Streams of hints that are open', () => eventStreams.count],
    registry_feed_deltas_total: ['Pages made of what has changed since a cursor', () => counts.deltas],
    registry_feed_snapshots_total: ['Pages made of everything', () => counts.snapshots],
  };
}

/** `GET /feed`: what has changed since a cursor; or everything, or the event stream, or a stream of hints. */
function getFeed(parts: Parts): Handler {
  const { catalog, counts } = parts;
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), namesHints(c) ? FEED_TYPES : PAGE_TYPES);
    if (type === HINTS) return openStream(parts.eventStreams, c, feedCursor(await catalog.state()));
    const asked = parametersIn(pageSchema, c.req.url);
    const isRoot = Object.values(asked).every((value) => value === undefined);
    const state = await catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const make: MakePage = (source) => {
      if (type === 'application/json') return jsonPage(source, state, asked);
      return isRoot ? rangeNode(source, state, type) : rdfPage(source, state, asked, type);
    };
    const answer = await pageAnswer(c, type, parts, make);
    if (asked.after === undefined) counts[asked.since ? 'deltas' : 'snapshots'] += 1;
    return answer;
  };
}

/**
 * A stream of server-sent events (HTML standard, section 9.2): whenever the node changes, its cursor. It can be opened while the
 * node loads, because browsers never ask again after a refusal.
 */
export function openStream(
  eventStreams: EventStreams,
  { req, client }: RouteContext,
  more: Record<string, string> = {},
): Answer {
  const headers = { ...STREAM_HEADERS, ...more };
  if (req.method === 'HEAD') return { status: 200, headers };
  const body = eventStreams.open(req.header('last-event-id'), client);
  return { status: 200, headers, body, endless: true };
}

/** Does a client name the stream of hints? One that says `text/*` wants something to read to its end. */
export function namesHints({ req }: RouteContext): boolean {
  return req.header('accept')?.includes(HINTS) ?? false;
}

const STREAM_HEADERS = {
  'content-type': HINTS,
  vary: 'Accept',
  'cache-control': 'no-store',
  // nginx would hold events back until its buffer is full.
  'x-accel-buffering': 'no',
};

/** `GET /feed/range`: a node of the event stream below its root, to which the root leads. */
function getRange(parts: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), RDF_TYPES);
    const asked = parametersIn(rangeSchema, c.req.url);
    const state = await parts.catalog.state({ epoch: asked.epoch, position: asked.after });
    const range = rangeAsked(asked, state);
    const make: MakePage = (source) => rangeNode(source, state, type, range);
    return unchangedFeed(c, state, type) ?? pageAnswer(c, type, parts, make);
  };
}

/** `GET /feed/sources`: the summary of every source. */
function getSources(parts: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const state = await parts.catalog.state();
    const text = () => jsonText(headOf(state, state.feed.sources));
    const make: MakePage = async () => ({ state, text: text(), isReproducible: true });
    return unchangedFeed(c, state, type) ?? pageAnswer(c, type, parts, make);
  };
}

type MakePage = (source: PageSource) => Promise<PageText>;

const compress = promisify(gzip);
/** Shorter pages are not compressed, in bytes: it would save less than it costs. */
const SHORT = 800;
/** What has fewer bytes does not count for what is unsent. */
const UNCOUNTED = 16_384;

/** Both decide about the bytes of an answer. */
const VARY = 'Accept, Accept-Encoding';
const NO_CACHE = { vary: VARY, 'cache-control': 'no-cache' };
/** For how long caches may send a closed page again: what it says is true on, and newer pages say what has changed. */
const CLOSED = { vary: VARY, 'cache-control': 'public, max-age=86400, immutable' };

/** The header by which an answer says what state it was made in. */
export function feedCursor(state: State): Record<string, string> {
  return { 'feed-cursor': cursorText(cursorOf(state)) };
}

const takesGzip = ({ req }: RouteContext) => acceptsGzip(req.header('accept-encoding'));

/**
 * The tag of one representation in one state: for followers that take a coding, it is another one (RFC
 * 9110, section 8.8.3), also where the page is too short to be compressed. It is short, since it is in
 * every 304: the media types are told apart by the first letter of their subtypes, which no digest of a
 * cursor has. A page that is not reproducible has a mark, which is made of its text.
 */
function tagOf(c: RouteContext, state: State, type: string, mark = ''): string {
  const coding = takesGzip(c) ? 'z' : '';
  return `"${cursorText(cursorOf(state))}${type.charAt(type.indexOf('/') + 1)}${coding}${mark}"`;
}

/**
 * The 304 for a follower that has this representation, or says no more than that it is in the current state: its tag is the
 * cursor then. It has as few headers as RFC 9110, section 15.4.5 allows, as most followers get nothing else most of the time.
 */
function unchangedFeed(c: RouteContext, state: State, type: string): Answer | undefined {
  const held = c.req.header('if-none-match');
  const etag = tagOf(c, state, type);
  const isNamed = [etag, `"${cursorText(cursorOf(state))}"`].some((tag) => namesTag(held, tag));
  return isNamed ? { status: 304, headers: { etag, ...NO_CACHE } } : undefined;
}

/**
 * Answers with a page. A thousand followers that hear of a change at once ask for the same one, which the
 * response cache has made once. Whether a follower has a page that is not reproducible is known when it has
 * been made again.
 */
async function pageAnswer(
  c: RouteContext,
  type: string,
  { unsent, ...source }: Parts,
  make: MakePage,
): Promise<Answer> {
  return unsent.make(async (maxBytes) => {
    const { state, text, next, isReproducible, isClosed } = await make({ ...source, maxBytes });
    const etag = tagOf(c, state, type, isReproducible ? '' : `-${fingerprintOf([text])}`);
    if (namesTag(c.req.header('if-none-match'), etag))
      return { status: 304, headers: { etag, ...NO_CACHE }, repeatable: true };
    const plain = Buffer.from(text);
    const isCoded = takesGzip(c) && plain.length >= SHORT;
    const headers = {
      'content-type': type,
      etag,
      'last-modified': formatHttpDate(Math.max(state.revision.since, state.networkRevision.since)),
      ...feedCursor(state),
      ...(isClosed ? CLOSED : NO_CACHE),
      ...(next && { link: `<${next}>; rel="next"` }),
      ...(isCoded && { 'content-encoding': 'gzip' }),
    };
    const body = isCoded ? await compress(plain) : plain;
    const hold = body.length < UNCOUNTED ? undefined : () => unsent.hold(body);
    return { status: 200, headers, body, hold, streams: true, repeatable: true };
  });
}
