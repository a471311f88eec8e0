import { readMatchQuestion } from '../../component/match-question.js';
import type { Match } from '../../core/match.js';
import { planMatch } from '../../core/match-plan.js';
import type { Handler } from '../../lib/http/resource.js';
import { readyBody } from '../../lib/http/response/body.js';
import { type MatchedGroup, type MatchParts, matchFinder } from '../matching/find-matches.js';
import { objectText, type Writing } from '../representation.js';
import { bodyOf } from './listing.js';

/** The request headers that the answers of `POST /match` depend on. */
export const MATCH_VARIES = ['content-type', 'content-encoding'];

/** `POST /match`: the components that fit data best, and why. `limit`: bytes of the body. */
export function matchComponents(parts: MatchParts & Writing, limit: number): Handler {
  const find = matchFinder(parts);
  return async ({ req }) => {
    const plan = planMatch(readMatchQuestion(await bodyOf(req, limit)));
    const matches = await find(plan);
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
    const pieces = matches.flatMap((match, i) => matchPieces(match, i === 0 ? '[' : ',\n', parts));
    pieces.push(Buffer.from(matches.length === 0 ? '[]\n' : ']\n'));
    return { status: 200, headers, body: readyBody(pieces), repeatable: true };
  };
}

/** The bytes of components are sent as they are: as a text they would be decoded and encoded again. */
function matchPieces(
  { candidate, ...match }: Match<MatchedGroup>,
  before: string,
  { naming }: Writing,
): Uint8Array[] {
  const { invocation, score, because, missing } = match;
  const rest = JSON.stringify({ invocation, score, because, missing });
  const { head } = candidate.group;
  return [
    Buffer.from(`${before}{"component":`),
    head.json ?? Buffer.from(objectText(head, naming)),
    Buffer.from(`,${rest.slice(1)}`),
  ];
}
