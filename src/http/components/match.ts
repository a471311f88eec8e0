import { readMatchQuestion } from '../../component/match-question.js';
import type { Naming } from '../../component/naming.js';
import type { Match } from '../../core/match.js';
import { planMatch } from '../../core/match-plan.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler } from '../../lib/http/resource.js';
import { type MatchedGroup, type MatchParts, matchFinder } from '../matching/find-matches.js';
import { StateCache } from '../matching/state-cache.js';
import { objectText } from '../representation.js';
import { QUERY_BOUNDS } from './listing.js';

/** Bytes of an answer: what has no room beside the better ones is left out, so that a few large descriptions spoil no answer. */
const MOST_BYTES = 4_000_000;

/** Bytes of answers that are kept, however their questions were written. */
const KEPT_BYTES = 16_000_000;

/** `POST /match`: the components that fit data best, and why. `limit`: bytes of the body. */
export function matchComponents(parts: MatchParts, limit: number): Handler {
  const find = matchFinder(parts);
  const kept = new StateCache<Uint8Array>(KEPT_BYTES, ({ length }) => length);
  return async (c) => {
    const question = readMatchQuestion(await readJsonBody(c.req, limit, QUERY_BOUNDS));
    const { naming, revision } = await parts.catalog.state();
    const state = JSON.stringify([revision, parts.reports.moduleMoves()]);
    const body = await kept.get(state, JSON.stringify(question), async () =>
      bodyOfMatches(await find(planMatch(question), c.pace), naming),
    );
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-cache' };
    return { status: 200, headers, body, repeatable: true };
  };
}

function bodyOfMatches(matches: readonly Match<MatchedGroup>[], naming: Naming): Uint8Array {
  const pieces: Uint8Array[] = [];
  let left = MOST_BYTES;
  for (const match of matches) {
    const own = matchPieces(match, pieces.length === 0 ? '[' : ',\n', naming);
    const bytes = own.reduce((sum, { length }) => sum + length, 0);
    if (bytes > left) continue;
    left -= bytes;
    pieces.push(...own);
  }
  return Buffer.concat([...pieces, Buffer.from(pieces.length === 0 ? '[]\n' : ']\n')]);
}

/** The bytes of components are sent as they are: as a text they would be decoded and encoded again. */
function matchPieces(
  { candidate, ...match }: Match<MatchedGroup>,
  before: string,
  naming: Naming,
): Uint8Array[] {
  const { invocation, score, because, missing } = match;
  const rest = JSON.stringify({ invocation, score, because, missing });
  return [
    Buffer.from(`${before}{"component":`),
    candidate.stored.json ?? Buffer.from(objectText(candidate.stored, naming)),
    Buffer.from(`,${rest.slice(1)}`),
  ];
}
