import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { cursorIn } from './feed-json.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { summariesOf } from './written-page.js';

/** `GET /feed/sources`: the summary of every source. */
export function getFeedSources(parts: FeedParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const state = await parts.catalog.state();
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    return answerPage(parts, c, { key: '/feed/sources', state }, async () => {
      const network = state.networkRevision.number;
      const sources = summariesOf(state.feed.sources);
      return { type, state, text: jsonText({ cursor: cursorIn(state), network, sources }) };
    });
  };
}
