import { Problem } from '../problem.js';
import { isMediaType, parseList, qualityOf } from './media-type.js';

interface Range {
  readonly type: string;
  readonly quality: number;
  /** 0 for any type, 1 for any subtype, 2 for one type. */
  readonly specificity: number;
  readonly index: number;
}

/**
 * The representation that a client likes best (RFC 9110, section 12.5.1); `undefined` when it takes none.
 * `offered` is in the server's order of preference, which decides last: before it come the client's q-values,
 * then whether it named the type or a wildcard, then the order in which it named them. Parameters other than `q` are
 * ignored. Malformed ranges are ignored, too; when no other is left, the first of `offered` is chosen.
 *
 * The choice is not left to negotiator 1.1: for it, `application/ld+json;profile="…"`, which JSON-LD clients send,
 * does not accept `application/ld+json`, and a malformed `Accept` accepts nothing.
 */
export function negotiate<T extends string>(
  accept: string | null | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === null || accept === undefined || accept === '*/*') return offered[0];
  const named = offered.find((type) => type === accept);
  if (named !== undefined) return named;
  const ranges = readRanges(accept);
  if (ranges.length === 0) return offered[0];
  let best: { type: T; range: Range } | undefined;
  for (const type of offered) {
    const range = rangeFor(type, ranges);
    if (range && range.quality > 0 && (!best || compare(range, best.range) > 0)) best = { type, range };
  }
  return best?.type;
}

/** Like `negotiate`, for handlers. @throws Problem 406 that lists the representations, when the client accepts none */
export function chooseRepresentation<T extends string>(
  accept: string | null | undefined,
  offered: readonly T[],
): T {
  const chosen = negotiate(accept, offered);
  if (chosen !== undefined) return chosen;
  throw new Problem(
    406,
    `There is no representation that the Accept header allows; there are ${offered.join(', ')}`,
    {
      headers: { vary: 'Accept' },
    },
  );
}

function readRanges(accept: string): Range[] {
  return parseList(accept).flatMap((member, index) => {
    const quality = qualityOf(member);
    // Some old clients send `*` for `*/*`.
    const type = member.type === '*' ? '*/*' : member.type;
    if (quality === undefined || !isMediaType(type) || /^\*\/[^*]/.test(type)) return [];
    const specificity = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2;
    return [{ type, quality, specificity, index }];
  });
}

/** The most specific range decides about a type, so that `text/*, text/turtle;q=0` excludes Turtle. */
function rangeFor(type: string, ranges: readonly Range[]): Range | undefined {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  let found: Range | undefined;
  for (const range of ranges) {
    const applies = range.type === type || range.type === family || range.type === '*/*';
    if (applies && (!found || range.specificity > found.specificity)) found = range;
  }
  return found;
}

function compare(one: Range, other: Range): number {
  return one.quality - other.quality || one.specificity - other.specificity || other.index - one.index;
}
