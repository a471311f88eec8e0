import type { Breather } from './pace.js';

/** How many items are sorted without a pause: this takes less than a millisecond. */
const RUN = 500;

/** Sorts a long list into a new one, by the text or number that `key` gives. Stable. Pauses between stretches of work. */
export async function sortedBy<T, K extends string | number>(
  items: readonly T[],
  key: (item: T) => K,
  breathe: Breather,
): Promise<T[]> {
  await breathe();
  if (items.length <= RUN)
    return items.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
  const middle = items.length >> 1;
  const one = await sortedBy(items.slice(0, middle), key, breathe);
  return merged(one, await sortedBy(items.slice(middle), key, breathe), key, breathe);
}

async function merged<T, K extends string | number>(
  one: T[],
  other: T[],
  key: (item: T) => K,
  breathe: Breather,
): Promise<T[]> {
  const [last, first] = [one.at(-1), other[0]];
  // What comes in order, as listings do, is not compared item by item.
  if (last && first && key(last) <= key(first)) return one.concat(other);
  const result: T[] = [];
  let next = 0;
  for (const [i, item] of one.entries()) {
    while (next < other.length && key(other[next] as T) < key(item)) result.push(other[next++] as T);
    result.push(item);
    if (i % RUN === 0) await breathe();
  }
  for (; next < other.length; next++) result.push(other[next] as T);
  return result;
}

/** A text of fixed length that is less the greater the number is. */
export function descending(number: number): string {
  return (Number.MAX_SAFE_INTEGER - number).toString().padStart(16, '0');
}
