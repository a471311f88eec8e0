import type { Context } from 'hono';
import type { Clock } from '../lib/clock.js';
import type { Answer } from '../lib/http/resource.js';
import { isNotModified, isSettled, lastModified, type Validators } from './conditional.js';

/**
 * Answers a GET: 304 when the client has the current state already, else what `make` makes of the headers
 * that both answers carry (RFC 9110, section 15.4.5).
 */
export type Cacheable = (c: Context, validators: Validators, make: (headers: Headers) => Answer) => Answer;

type Headers = Readonly<Record<string, string>>;

export function createCacheable(clock: Clock): Cacheable {
  return ({ req }, validators, make) => {
    const now = clock.now();
    const headers = {
      etag: validators.etag,
      'last-modified': lastModified(validators.since, now),
      vary: validators.vary ?? 'Accept',
      'cache-control': 'no-cache',
    };
    const conditions = {
      ifNoneMatch: req.header('if-none-match'),
      ifModifiedSince: req.header('if-modified-since'),
    };
    const answer = isNotModified(conditions, validators, now) ? { status: 304, headers } : make(headers);
    return { ...answer, repeatable: validators.repeatable === true && isSettled(validators.since, now) };
  };
}
