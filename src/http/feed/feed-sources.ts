import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { linesOfKinds } from '../../registry/feed.js';
import { fingerprintOf } from '../entity-tags.js';
import { cursorIn, stateMembers } from './feed-json.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { parametersWith, readParameters } from './feed-request.js';
import { observationsTag, type RecentObservations } from './observations.js';
import { toldBy } from './told.js';
import { linesOf } from './written-page.js';

/**
 * `GET /feed/sources`: the line of every source, or of those of some kinds; of pods that this node reads itself, with the
 * time of the pod.
 */
export function getFeedSources(parts: FeedParts & { readonly observations: RecentObservations }): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    const told = toldBy(parts.config.mode, readParameters(parametersOf(c.req.url), ['kinds', 'hops']));
    const state = await parts.catalog().state();
    const seen = await parts.observations.of(state.feed.sources.map(({ source }) => source));
    const etag = observationsTag(state, seen, told.hops !== undefined);
    const unchanged = unchangedFeed(c, state, etag);
    if (unchanged) return unchanged;
    const key = `/feed/sources?${parametersWith({ ...told })} ${fingerprintOf([...seen].flat().map(String))}`;
    return answerPage(parts, c, { key, state }, async () => {
      const sources = linesOf(linesOfKinds(state.feed.sources, told.kinds), seen);
      const { number } = (await parts.listScopes.at(state)).revision(told.hops);
      return {
        ...{ type, state, etag },
        text: jsonText({ cursor: cursorIn(state), ...stateMembers(state, told, number), sources }),
      };
    });
  };
}
