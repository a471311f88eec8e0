import { readMatchQuestion } from '../../component/match-question.js';
import type { Match } from '../../core/match.js';
import { planMatch } from '../../core/match-plan.js';
import type { Handler } from '../../lib/http/resource.js';
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
    const body = `[${matches.map((match) => matchText(match, parts)).join(',\n')}]\n`;
    return { status: 200, headers, body, repeatable: true };
  };
}

function matchText({ candidate, ...match }: Match<MatchedGroup>, { naming }: Writing): string {
  const { invocation, score, because, missing } = match;
  const rest = JSON.stringify({ invocation, score, because, missing });
  const { head } = candidate.group;
  const component = head.json ? Buffer.from(head.json).toString() : objectText(head, naming);
  return `{"component":${component},${rest.slice(1)}`;
}
