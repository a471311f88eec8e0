/** The number of the first item in that stretch of the list of which it is true; it must be true of all that follow. */
export function lowerBound<T>(
  list: readonly T[],
  isBeyond: (item: T) => boolean,
  from = 0,
  to = list.length,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBeyond(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
