const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = '\\d{2}:\\d{2}:\\d{2}';
const FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC850 = new RegExp(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ \\d]\\d ${TIME} \\d{4}$`);

/** Ms since the epoch of an HTTP-date in any of its three forms (RFC 9110, section 5.6.7). */
export function parseHttpDate(text: string): number | undefined {
  const readable = FIXDATE.test(text) || RFC850.test(text) ? text : ASCTIME.test(text) ? `${text} GMT` : '';
  const ms = Date.parse(readable);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The preferred form of an HTTP-date; milliseconds are dropped. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}
