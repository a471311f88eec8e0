import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { fingerprintOf } from '../entity-tags.js';
import { cursorIn } from './feed-json.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { readParameters } from './feed-request.js';
import { type ObservationParts, observationsOf, observationsTag } from './observations.js';
import { linesOf } from './written-page.js';

/** `GET /feed/sources`: the line of every source; of pods that this node reads itself, with the time of the pod. */
export function getFeedSources(parts: FeedParts & ObservationParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json']);
    readParameters(parametersOf(c.req.url), []);
    const state = await parts.catalog().state();
    const seen = await observationsOf(
      state.feed.sources.map(({ source }) => source),
      parts,
    );
    const etag = observationsTag(state, seen);
    const unchanged = unchangedFeed(c, state, etag);
    if (unchanged) return unchanged;
    const key = `/feed/sources ${fingerprintOf([...seen].flat().map(String))}`;
    return answerPage(parts, c, { key, state }, async () => {
      const [cursor, network] = [cursorIn(state), state.networkRevision.number];
      const sources = linesOf(state.feed, seen);
      return { type, state, etag, text: jsonText({ cursor, network, sources }) };
    });
  };
}
