import { parseAccept } from 'hono/utils/accept';
import { Problem } from '../problem.js';

/**
 * The representation that a client likes best (RFC 9110, section 12.5.1); `undefined` when it takes none.
 * `offered` is in the server's order of preference, which decides last: before it come the client's q-values,
 * then whether it named the type or a wildcard, then the order in which it named them. Parameters other than `q` are
 * ignored. Malformed ranges are ignored, too; where no other is left, the first of `offered` is chosen.
 *
 * hono's own choice does not let `text/turtle;q=0` exclude Turtle from a range with more.
 */
export function negotiate<T extends string>(
  accept: string | null | undefined,
  offered: readonly T[],
): T | undefined {
  if (accept === null || accept === undefined || accept === '*/*') return offered[0];
  const named = offered.find((type) => type === accept);
  if (named !== undefined) return named;
  // Some old clients send `*` for all types.
  const ranges = membersIn(accept).filter(({ type }) => type.includes('/') || type === '*');
  if (ranges.length === 0) return offered[0];
  const acceptable = offered.flatMap((type) => {
    const applying = [[type], [`${type.slice(0, type.indexOf('/'))}/*`], ['*/*', '*']];
    const places = applying.map((names) => ranges.findIndex((range) => names.includes(range.type)));
    // The most specific range decides.
    const width = places.findIndex((place) => place >= 0);
    const index = places[width] ?? -1;
    const quality = ranges[index]?.q ?? 0;
    return quality > 0 ? [{ type, quality, width, index }] : [];
  });
  const [best] = acceptable.sort(
    (one, other) => other.quality - one.quality || one.width - other.width || one.index - other.index,
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
  const why = `There is no representation that the Accept header allows; there are ${offered.join(', ')}`;
  throw new Problem(406, why, { headers: { vary: 'Accept' } });
}

/** Does a client take gzip, and like it no less than the plain body (RFC 9110, section 12.5.3)? */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map(membersIn(header ?? '').map(({ type, q }) => [type, q]));
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

/** A weight (RFC 9110, section 12.4.2). */
const WEIGHT = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/** The members of a list in order of preference. For hono, a malformed weight is the highest; here, its member is ignored. */
function membersIn(header: string): { type: string; q: number }[] {
  const valid = parseAccept(header).filter(({ params }) => WEIGHT.test(params.q ?? params.Q ?? '1'));
  return valid.map(({ type, q }) => ({ type: type.toLowerCase(), q }));
}
