/** Nobody is left alone for longer, whatever they ask. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CLOCK = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const MONTH = `(?<month>${MONTHS.join('|')})`;

/** RFC 9110, section 5.6.7: the format to write, and the two obsolete ones that must still be read. */
const HTTP_DATES = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${CLOCK} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${CLOCK} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
];

/**
 * The moment that a `Retry-After` field (RFC 9110, section 10.2.3) asks to wait for, in milliseconds since the
 * epoch, at most a day from `now`. Undefined when it is absent, nonsense, or asks for no wait at all.
 */
export function retryAfter(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  const moment = /^\d+$/.test(text) ? now + Number(text) * 1000 : httpDate(text, now);
  return moment !== undefined && moment > now ? Math.min(moment, now + LONGEST_MS) : undefined;
}

function httpDate(text: string, now: number): number | undefined {
  for (const format of HTTP_DATES) {
    const parts = format.exec(text)?.groups;
    if (!parts) continue;
    const { year = '', month = '', day, hour, minute, second } = parts;
    const at = (fullYear: number) =>
      Date.UTC(fullYear, MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
    return at(year.length === 2 ? fullYear(Number(year), now) : Number(year));
  }
  return undefined;
}

/** Two digits mean the latest year that is not more than 50 years ahead. */
function fullYear(twoDigits: number, now: number): number {
  const latest = new Date(now).getUTCFullYear() + 50;
  return latest - ((((latest - twoDigits) % 100) + 100) % 100);
}
