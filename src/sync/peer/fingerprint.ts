import { parseHttpDate } from '../../lib/http/headers/http-date.js';

/** What tells one state of a resource from the next: the server's entity tag, or else its date and the hash of the body. */
export interface Fingerprint {
  readonly etag?: string;
  /** As the server wrote it, and only where the resource cannot have changed since without another date. */
  readonly lastModified?: string;
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
 * A date of the last change that can be asked with. One of the second in which the answer was given is none, because the
 * resource may have changed again within it; one that lies after the answer, or cannot be read, is none either: there are
 * nodes that answer 304 to such dates whatever has happened.
 */
function usableDate(lastModified: string | null, date: string | null): string | undefined {
  const changed = parseHttpDate(lastModified ?? '');
  const answered = parseHttpDate(date ?? '');
  if (lastModified === null || changed === undefined || answered === undefined) return undefined;
  return answered - changed >= RESOLUTION_MS ? lastModified : undefined;
}
