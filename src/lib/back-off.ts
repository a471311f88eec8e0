/**
 * The wait after so many failures in a row, in ms: doubled with each further one, up to the longest. With `random`, it is
 * a part of that between half and all, so that those who failed together do not come back together.
 */
export function backOff(
  failures: number,
  { first, longest }: { readonly first: number; readonly longest: number },
  random: () => number = () => 1,
): number {
  const wait = Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
  return (wait / 2) * (1 + random());
}
