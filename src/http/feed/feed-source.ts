import type { Source } from '../../component/source.js';
import type { SourceSummary } from '../../core/source-digests.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { State } from '../../registry/state.js';
import { summaryIn, summaryOf } from './feed-json.js';
import type { FeedCounts } from './feed-metrics.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { feedAddress } from './feed-quads.js';
import { type FeedParameters, PAGE_SIZE, parametersWith, readParameters } from './feed-request.js';
import { sourceDatasetPage, wholeSource } from './source-dataset.js';
import { jsonPage, type PageOrder, RDF_TYPES } from './written-page.js';

/** The representations of one source, the preferred one first. */
export const SOURCE_TYPES = [...RDF_TYPES, 'application/json'] as const;

const PARAMETERS = ['url', 'kind', 'after', 'limit'] as const;
type Asked = FeedParameters<(typeof PARAMETERS)[number]>;

/** `GET /feed/source`: everything that one source says, shadowed or not: whole in RDF, or in pages. */
export function getFeedSource(parts: FeedParts & { readonly counts: FeedCounts }): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), SOURCE_TYPES);
    const asked = readParameters(parametersOf(c.req.url), PARAMETERS);
    const state = await parts.catalog.state();
    const summary = summaryAsked(asked, state);
    const unchanged = unchangedFeed(c, state, { type });
    if (unchanged) return unchanged;
    if (asked.after === undefined) parts.counts.snapshots.inc();
    const address = sourceAddress(parts, summary.source);
    const isPaged = type === 'application/json' || asked.after !== undefined || asked.limit !== undefined;
    if (!isPaged) return wholeSource(parts, c, { type, address, source: summary.source });
    const key = [type, address, asked.after, asked.limit].join(' ');
    return answerPage(parts, c, { key, state }, async (maxBytes) => {
      const order = pageOrder(parts, asked, summary.source, maxBytes);
      if (type !== 'application/json') return sourceDatasetPage(parts, order, { type, address, summary });
      return jsonPage(parts, order, (made) => ({
        source: summaryOf(summaryIn(made.state, summary.source) ?? summary),
      }));
    });
  };
}

function pageOrder(parts: FeedParts, { after, limit }: Asked, source: Source, maxBytes: number): PageOrder {
  return {
    wanted: { source, after, limit: limit ?? PAGE_SIZE.usual },
    maxBytes,
    addressAfter: (position) =>
      `${sourceAddress(parts, source)}&${parametersWith({ after: position, limit })}`,
  };
}

function sourceAddress({ naming }: FeedParts, { kind, url }: Source): string {
  return `${feedAddress(naming)}/source?${parametersWith({ kind, url })}`;
}

/** @throws Problem 400 without a URL, 404 when the node has nothing of the source */
function summaryAsked({ url, kind }: Asked, state: State): SourceSummary {
  if (url === undefined) throw new Problem(400, 'Name a source: ?url=<its URL, as /feed/sources lists it>');
  const kinds: readonly Source['kind'][] = kind === undefined ? ['local', 'pod', 'peer'] : [kind];
  for (const one of kinds) {
    const summary = summaryIn(state, { kind: one, url });
    if (summary) return summary;
  }
  throw new Problem(
    404,
    'This node has nothing of such a source; /feed/sources lists those that it has something of',
  );
}
