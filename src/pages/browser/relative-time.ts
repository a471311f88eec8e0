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

/** Replaces the times on a page by how long ago they were; the exact time becomes the title. */
export function tellTime(within: ParentNode, now = Date.now()): void {
  for (const time of within.querySelectorAll('time')) {
    const moment = Date.parse(time.dateTime);
    if (Number.isNaN(moment)) continue;
    time.title ||= time.textContent;
    time.textContent = relativeTime(moment, now);
  }
}
