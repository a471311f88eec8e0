import { summariesOfKinds } from '../../core/source-digests.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { cursorIn, stateMembers } from './feed-json.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { parametersWith, readParameters } from './feed-request.js';
import { scopeOf } from './feed-scope.js';
import { summariesOf } from './written-page.js';

/** `GET /feed/sources`: the summary of every source, or of those of some kinds. */
export function getFeedSources(parts: FeedParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const scope = scopeOf(parts.config.mode, readParameters(parametersOf(c.req.url), ['kinds', 'hops']));
    const state = await parts.catalog.state();
    const form = { type, isWeak: scope.hops !== undefined };
    const unchanged = unchangedFeed(c, state, form);
    if (unchanged) return unchanged;
    const key = `/feed/sources?${parametersWith({ ...scope })}`;
    return answerPage(parts, c, { key, state }, async () => {
      const sources = summariesOf(summariesOfKinds(state.feed.sources, scope.kinds));
      const { number } = (await parts.listScopes.at(state)).revision(scope.hops);
      return {
        ...form,
        state,
        text: jsonText({ cursor: cursorIn(state), ...stateMembers(state, scope, number), sources }),
      };
    });
  };
}
