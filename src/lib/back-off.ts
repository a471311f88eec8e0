/** How long to wait after failures, in ms: doubled with each further one in a row, up to the longest. */
export interface BackOffTimes {
  readonly first: number;
  readonly longest: number;
  /** In place of doubling. */
  readonly factor?: number;
}

/**
 * The wait after so many failures in a row, in ms. With `random`, it is a part of that between half and all, so that those
 * who failed together do not come back together.
 */
export function backOff(
  failures: number,
  { first, longest, factor = 2 }: BackOffTimes,
  random: () => number = () => 1,
): number {
  const wait = Math.min(first * factor ** Math.max(failures - 1, 0), longest);
  return (wait / 2) * (1 + random());
}
