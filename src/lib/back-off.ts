/** How long to wait after failures, in ms: doubled with each further one in a row, up to the longest. */
interface BackOffTimes {
  readonly first: number;
  readonly longest: number;
}

/**
 * The wait after so many failures in a row, in ms. With `random`, it is a part of that between half and all, so that those
 * who failed together do not come back together.
 */
export function backOff(
  failures: number,
  { first, longest }: BackOffTimes,
  random: () => number = () => 1,
): number {
  const wait = Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
  return (wait / 2) * (1 + random());
}
