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
