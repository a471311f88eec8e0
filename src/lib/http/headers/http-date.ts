const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** Ms since the epoch of an HTTP-date in any of its three forms (RFC 9110, section 5.6.7). */
export function parseHttpDate(text: string): number | undefined {
  const ms = ASCTIME.test(text) ? Date.parse(`${text} GMT`) : / GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The preferred form of an HTTP-date; milliseconds are dropped. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** A longer wait is not believed, in ms. Whoever asked may wait for less. */
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
