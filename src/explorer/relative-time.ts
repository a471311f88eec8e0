const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** How far a moment is away, in the largest unit that fits. Both in ms since the epoch. */
export function relativeTime(moment: number, now: number): string {
  const seconds = (moment - now) / 1000;
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1];
  return format.format(Math.trunc(seconds / size), unit);
}

/** Has the times on a page say how long ago they were; the moment itself stays in their title. */
export function tellTime(within: ParentNode, now = Date.now()): void {
  for (const time of within.querySelectorAll('time')) {
    const moment = Date.parse(time.dateTime);
    if (Number.isNaN(moment)) continue;
    time.title ||= time.textContent;
    time.textContent = relativeTime(moment, now);
  }
}
