const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a time as people write it: 90s, 15m, 12h, 30d. Undefined for every other text, and for no time at all. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : undefined;
}
