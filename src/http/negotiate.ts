import { listMembers, parseMediaType } from '../lib/http/media-type.js';
import { Problem } from '../lib/http/problem.js';

interface Range {
  readonly type: string;
  readonly quality: number;
  /** 0 for any type, 1 for any subtype, 2 for one type. */
  readonly specificity: number;
  readonly place: number;
}

const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The representation that a client likes best (RFC 9110, section 12.5.1); `undefined` when it takes none.
 * `offered` is in the server's order of preference, which decides last: before it come the client's q-values,
 * then whether it named the type or meant it by a wildcard, then its own order. Parameters other than `q` are
 * passed over. Ranges that nobody can read are passed over too; when none is left anything will do.
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

/** The same, for a handler. @throws Problem 406 that lists what there is */
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
  return listMembers(accept).flatMap((member, place) => {
    // Some clients of old write a lone asterisk.
    const read = parseMediaType(member.replace(/^\*(?=\s*(?:;|$))/, '*/*'));
    const q = read?.parameters.get('q') ?? '1';
    if (!read || !QUALITY.test(q) || /^\*\/[^*]/.test(read.type)) return [];
    const specificity = read.type === '*/*' ? 0 : read.type.endsWith('/*') ? 1 : 2;
    return [{ type: read.type, quality: Number(q), specificity, place }];
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
  return one.quality - other.quality || one.specificity - other.specificity || other.place - one.place;
}
