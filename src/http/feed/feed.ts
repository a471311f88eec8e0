import type { State } from '../../catalog/catalog.js';
import { cursorText } from '../../core/cursor.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import type { EventStreams } from './event-streams.js';
import type { FeedCounts } from './feed-metrics.js';
import { answerPage, type FeedParts, feedCursor, unchangedFeed } from './feed-page.js';
import { feedAddress } from './feed-quads.js';
import { type FeedParameters, PAGE_SIZE, parametersWith, readParameters } from './feed-request.js';
import { rangeNode, wholeRange } from './range-node.js';
import { jsonPage, type PageOrder, RDF_TYPES, type RdfType, rdfPage, summariesOf } from './written-page.js';

/** The representations of the feed, the preferred one first. */
export const FEED_TYPES = ['application/json', ...RDF_TYPES, 'text/event-stream'] as const;

const PARAMETERS = ['since', 'after', 'limit'] as const;
type Asked = FeedParameters<(typeof PARAMETERS)[number]>;

export interface FeedHandlerParts extends FeedParts {
  readonly streams: EventStreams;
  readonly counts: FeedCounts;
}

/** `GET /feed`: what has changed since a cursor; or everything, or the event stream, or a stream of hints. */
export function getFeed(parts: FeedHandlerParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), FEED_TYPES);
    const parameters = parametersOf(c.req.url);
    if (type === 'text/event-stream') return openStream(parts, c);
    const asked = readParameters(parameters, PARAMETERS);
    const state = await parts.catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const lists = await parts.latestLists.at(state);
    const more = { 'feed-lists': lists.digest };
    const key = `${type} ${pageAddress(state, asked)}`;
    const answer = await answerPage(parts, c, { key, state, more }, (maxBytes) =>
      makePage(parts, asked, { type, state, maxBytes }),
    );
    if (asked.after === undefined) parts.counts[asked.since ? 'deltas' : 'snapshots'].inc();
    return answer;
  };
}

interface Order {
  readonly type: 'application/json' | RdfType;
  readonly state: State;
  readonly maxBytes: number;
}

function makePage(parts: FeedParts, asked: Asked, { type, state, maxBytes }: Order) {
  const { since, after, limit } = asked;
  const naming = { ...state.naming, epoch: state.revision.epoch };
  const isRoot = Object.values(asked).every((value) => value === undefined);
  if (isRoot && type !== 'application/json') {
    return rangeNode(parts, { range: wholeRange(state), isRoot: true, type, naming, maxBytes });
  }
  const order: PageOrder = {
    wanted: { since, after, limit: limit ?? PAGE_SIZE.usual },
    maxBytes,
    addressAfter: (position, from) =>
      `${feedAddress(naming)}?${parametersWith({ since: from, after: position, limit })}`,
  };
  if (type !== 'application/json') {
    return rdfPage(parts, order, { type, address: pageAddress(state, asked), naming });
  }
  return jsonPage(parts, order, ({ state, sources }) => ({
    network: state.networkRevision.number,
    sources: summariesOf(sources),
  }));
}

/** The address of a page, however its parameters were written. */
function pageAddress({ naming }: State, { since, after, limit }: Asked): string {
  const parameters = parametersWith({ since: since && cursorText(since), after, limit });
  return `${feedAddress(naming)}${parameters.size === 0 ? '' : `?${parameters}`}`;
}

/** A stream of server-sent events (HTML standard, section 9.2): whenever the node changes, its cursor. */
async function openStream(parts: FeedHandlerParts, { req, client }: RouteContext): Promise<Answer> {
  const { streams, catalog } = parts;
  const state = await catalog.state();
  const headers = {
    'content-type': 'text/event-stream',
    vary: 'Accept',
    'cache-control': 'no-store',
    // nginx would hold events back until its buffer is full.
    'x-accel-buffering': 'no',
    ...feedCursor(state),
  };
  if (req.method === 'HEAD') return { status: 200, headers };
  const body = streams.open(req.header('last-event-id'), client);
  return { status: 200, headers, body, endless: true };
}
