import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { cursorIn } from './feed-json.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { readParameters } from './feed-request.js';
import { linesOf } from './written-page.js';

/** `GET /feed/sources`: the line of every source. */
export function getFeedSources(parts: FeedParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    readParameters(parametersOf(c.req.url), []);
    const state = await parts.catalog().state();
    const unchanged = unchangedFeed(c, state);
    if (unchanged) return unchanged;
    return answerPage(parts, c, { key: '/feed/sources', state }, async () => {
      const [cursor, network] = [cursorIn(state), state.networkRevision.number];
      return { type, state, text: jsonText({ cursor, network, sources: linesOf(state.feed) }) };
    });
  };
}
