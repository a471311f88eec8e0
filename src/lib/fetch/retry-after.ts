import { parseHttpDate } from '../http/headers/http-date.js';

/** The longest wait that a server can ask for. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * The moment that a `Retry-After` field (RFC 9110, section 10.2.3) asks to wait for, in milliseconds since the
 * epoch, at most a day from `now`. Undefined when it is absent, nonsense, or asks for no wait at all.
 */
export function retryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const moment = /^\d+$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text);
  return moment !== undefined && moment > now ? Math.min(moment, now + LONGEST_MS) : undefined;
}
