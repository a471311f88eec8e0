import type { Clock } from '../clock.js';
import { formatHttpDate } from './headers/http-date.js';
import type { Answer, RouteContext } from './resource.js';
import { isNotModified, isSettled, lastModified, namesTag, type Validators } from './response/conditional.js';

/** Answers GET requests that may be conditional (RFC 9110, section 13). */
export type Cacheable = ReturnType<typeof createCacheable>;

interface Tagged extends Pick<Validators, 'etag' | 'since'> {
  readonly type: string;
  readonly text: string | Uint8Array;
  /** As `Cache-Control` says it. */
  readonly caching?: string;
}

/** A text with its entity tag, or the 304 for a client that has it. */
export function taggedAnswer(
  c: RouteContext,
  { etag, since, type, text, caching = 'no-cache' }: Tagged,
): Answer {
  const headers = { 'content-type': type, 'last-modified': formatHttpDate(since), 'cache-control': caching };
  return unlessHeld(c, etag, { status: 200, headers, body: text });
}

/** An answer with its entity tag, or the 304 for a client that has it. An error is told anew (RFC 9110, section 13.2.1). */
export function unlessHeld({ req }: RouteContext, etag: string, answer: Answer): Answer {
  const isHeld = answer.status === 200 && namesTag(req.header('if-none-match'), etag);
  // The type is that of a body, and a 304 has none (RFC 9110, section 15.4.5).
  const { 'content-type': type, ...others } = answer.headers ?? {};
  return isHeld
    ? { status: 304, headers: { ...others, etag } }
    : { ...answer, headers: { ...answer.headers, etag } };
}

export function createCacheable(clock: Clock) {
  /** Adds the headers of a state to an answer, as a 304 would carry them (RFC 9110, section 15.4.5). */
  const fresh = (validators: Validators, answer: Answer): Answer => {
    const { etag, since, vary = 'Accept', about, repeatable = false } = validators;
    const now = clock.now();
    const headers = {
      ...{ etag, 'last-modified': lastModified(since, now), vary, 'cache-control': 'no-cache' },
      ...about,
      ...answer.headers,
    };
    return { ...answer, headers, repeatable: repeatable && isSettled(since, now) };
  };
  /** The 304 for a client that has the current state already; undefined for the others. */
  const unchanged = ({ req }: RouteContext, validators: Validators): Answer | undefined => {
    const ifNoneMatch = req.header('if-none-match');
    const conditions = { ifNoneMatch, ifModifiedSince: req.header('if-modified-since') };
    const isHeld = isNotModified(conditions, validators, clock.now());
    return isHeld ? fresh(validators, { status: 304 }) : undefined;
  };
  /** A 304, or what `make` answers, with these headers. */
  const answer = async (c: RouteContext, validators: Validators, make: () => Answer | Promise<Answer>) =>
    unchanged(c, validators) ?? fresh(validators, await make());
  return { unchanged, fresh, answer };
}
