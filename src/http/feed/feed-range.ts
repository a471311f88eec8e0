import type { State } from '../../catalog/catalog.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { answerPage, type FeedParts, unchangedFeed } from './feed-page.js';
import { feedAddress } from './feed-quads.js';
import { readParameters } from './feed-request.js';
import { gone, type Range } from './gather-changes.js';
import { isRange, rangeAddress, rangeNode } from './range-node.js';
import { RDF_TYPES } from './written-page.js';

/** `GET /feed/range`: a node of the event stream below its root, to which the root leads. */
export function getRange(parts: FeedParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), RDF_TYPES);
    const asked = readParameters(parametersOf(c.req.url), ['epoch', 'after', 'until']);
    const { epoch, after } = asked;
    const known = epoch !== undefined && after !== undefined ? { epoch, position: after } : undefined;
    const state = await parts.catalog.state(known);
    const range = rangeAsked(asked, state, feedAddress(state.naming));
    const unchanged = unchangedFeed(c, state, type);
    if (unchanged) return unchanged;
    const naming = { ...state.naming, epoch: state.revision.epoch };
    const key = `${type} ${rangeAddress(range, naming)}`;
    return answerPage(parts, c, { key, state }, (maxBytes) =>
      rangeNode(parts, { range, isRoot: false, type, naming, maxBytes }),
    );
  };
}

/** @throws Problem 400 for what is no range, 410 for one that lies in another history of this node */
function rangeAsked(
  { epoch, after, until }: { epoch?: string; after?: number; until?: number },
  { revision, feed }: State,
  root: string,
): Range {
  if (epoch === undefined || after === undefined || until === undefined || !isRange({ after, until }))
    throw new Problem(400, `This is no node of the event stream; begin at ${root}, and follow its relations`);
  if (epoch !== revision.epoch) throw gone({ unknown: 'epoch' }, root);
  if (after > feed.position) throw gone({ unknown: 'future' }, root);
  return { after, until };
}
