const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The time between two moments (ms since the epoch) in words, in the largest unit that fits. */
export function relativeTime(moment: number, now: number): string {
  const seconds = (moment - now) / 1000;
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return format.format(Math.trunc(seconds / size), unit);
}

/** The time since a moment in words, in the largest unit that fits: what has just begun has lasted for a second. */
export function timePassed(moment: number, now: number): string {
  const seconds = Math.max(1, (now - moment) / 1000);
  const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? ['second', 1];
  const words = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return words.format(Math.trunc(seconds / size));
}

/** Replaces the times on a page by how long ago they were, or have lasted; the exact time becomes the title. */
export function tellTime(within: ParentNode, now = Date.now()): void {
  for (const time of within.querySelectorAll('time')) {
    const moment = Date.parse(time.dateTime);
    if (Number.isNaN(moment)) continue;
    time.title ||= time.textContent;
    time.textContent =
      time.dataset.since === undefined ? relativeTime(moment, now) : `for ${timePassed(moment, now)}`;
  }
}
