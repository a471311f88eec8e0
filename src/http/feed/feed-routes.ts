import type { Registry as MetricsRegistry } from 'prom-client';
import type { Feed } from '../../catalog/catalog.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonText } from '../../lib/http/json-answer.js';
import { anyObject } from '../../lib/http/openapi-parts.js';
import type { Handler } from '../../lib/http/resource.js';
import { feedCursor } from '../entity-tags.js';
import { content, type Feature, queryParameters } from '../openapi.js';
import { addFigures, type Figures } from '../operations/figures.js';
import { get } from '../own-resource.js';
import { parametersIn } from '../parameters.js';
import type { EventStreams } from './event-streams.js';
import { type FeedSource, feedAnswer, type MakePage, unchangedFeed } from './feed-answer.js';
import { headOf, jsonPage, rdfPage } from './feed-pages.js';
import { feedSchema, rangeSchema } from './feed-parameters.js';
import { RDF_TYPES } from './feed-quads.js';
import { HINTS, hintStream, namesHints } from './hint-stream.js';
import { rangeAsked, rangeNode } from './range-node.js';
import { UnsentPages } from './unsent-pages.js';

/** The representations of the feed, the preferred one first. */
const PAGE_TYPES = ['application/json', ...RDF_TYPES] as const;
const FEED_TYPES = [...PAGE_TYPES, HINTS] as const;

interface FeedParts extends Omit<FeedSource, 'unsent'> {
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
        parameters: () => queryParameters(feedSchema, 'output'),
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

interface Parts extends FeedParts, FeedSource {
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
    if (type === HINTS) return hintStream(parts.eventStreams, c, feedCursor(await catalog.state()));
    const asked = parametersIn(feedSchema, c.req.url);
    const isRoot = Object.values(asked).every((value) => value === undefined);
    const state = await catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const make: MakePage = (source) => {
      if (type === 'application/json') return jsonPage(source, state, asked);
      return isRoot ? rangeNode(source, state, type) : rdfPage(source, state, asked, type);
    };
    const answer = await feedAnswer(c, type, parts, make);
    if (asked.after === undefined) counts[asked.since ? 'deltas' : 'snapshots'] += 1;
    return answer;
  };
}

/** `GET /feed/range`: a node of the event stream below its root, to which the root leads. */
function getRange(parts: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), RDF_TYPES);
    const asked = parametersIn(rangeSchema, c.req.url);
    const state = await parts.catalog.state({ epoch: asked.epoch, position: asked.after });
    const range = rangeAsked(asked, state);
    const make: MakePage = (source) => rangeNode(source, state, type, range);
    return unchangedFeed(c, state, type) ?? feedAnswer(c, type, parts, make);
  };
}

/** `GET /feed/sources`: the summary of every source. */
function getSources(parts: Parts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const state = await parts.catalog.state();
    const text = () => jsonText(headOf(state, state.feed.sources));
    const make: MakePage = async () => ({ state, text: text(), isReproducible: true });
    return unchangedFeed(c, state, type) ?? feedAnswer(c, type, parts, make);
  };
}
