import { Problem } from '../problem.js';
import { isMediaType, parseList, qualityOf } from './media-type.js';

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
  const acceptable = offered.flatMap((type) => {
    const range = rangeFor(type, ranges);
    return range && range.quality > 0 ? [{ ...range, type }] : [];
  });
  const [best] = acceptable.sort(
    (one, other) =>
      other.quality - one.quality || other.specificity - one.specificity || one.index - other.index,
  );
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

/**
 * Does a client take gzip, and like it no less than the plain body (RFC 9110, section 12.5.3)? The choice is not left to
 * negotiator 1.1, which offers a coding that is liked less than the plain body.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (!header) return false;
  // A malformed weight counts as not accepted.
  const weights = new Map(parseList(header).map((member) => [member.type, qualityOf(member) ?? 0]));
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

interface Range {
  readonly type: string;
  readonly quality: number;
  /** 0 for any type, 1 for any subtype, 2 for one type. */
  readonly specificity: number;
  readonly index: number;
}

function readRanges(accept: string): Range[] {
  const ranges = parseList(accept).flatMap((member, index) => {
    const quality = qualityOf(member);
    // Some old clients send `*` for `*/*`.
    const type = member.type === '*' ? '*/*' : member.type;
    if (quality === undefined || !isMediaType(type) || /^\*\/[^*]/.test(type)) return [];
    const specificity = type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2;
    return [{ type, quality, specificity, index }];
  });
  return ranges.sort((one, other) => other.specificity - one.specificity);
}

/** The most specific range decides about a type, so that `text/*, text/turtle;q=0` excludes Turtle. */
function rangeFor(type: string, ranges: readonly Range[]): Range | undefined {
  const applying = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  return ranges.find((range) => applying.includes(range.type));
}
