import type { Validators } from '../../lib/fetch/validators.js';
import { parseHttpDate } from '../../lib/http/headers/http-date.js';

/**
 * What tells one state of a resource from the next: the server's entity tag, or else its date, where the resource cannot have
 * changed since without another one, and the hash of the body.
 */
export interface Fingerprint extends Validators {
  readonly hash?: string;
}

/** Dates have a resolution of one second (RFC 9110, section 8.8.2.2). */
const RESOLUTION_MS = 1000;

/** Of an answer. `hash`: of its body. */
export function fingerprintOf(headers: Headers, hash: string): Fingerprint {
  const etag = headers.get('etag');
  if (etag) return { etag };
  const lastModified = usableDate(headers.get('last-modified'), headers.get('date'));
  return { lastModified, hash };
}

/**
 * `Last-Modified`, where a conditional request may use it. A date in the second of the answer may not be used, because the
 * resource may have changed again within it; nor may one after the answer, or one that cannot be read, because some nodes
 * answer 304 to such dates whatever has happened.
 */
function usableDate(lastModified: string | null, date: string | null): string | undefined {
  const changed = parseHttpDate(lastModified ?? '');
  const answered = parseHttpDate(date ?? '');
  if (lastModified === null || changed === undefined || answered === undefined) return undefined;
  return answered - changed >= RESOLUTION_MS ? lastModified : undefined;
}
