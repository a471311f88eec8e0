import type { Breather } from './pace.js';

/** How many items are sorted without a pause: this takes less than a millisecond. */
const RUN = 500;

/** Sorts a long list into a new one, by the text or number that `key` gives. Stable. Pauses between stretches of work. */
export async function sortedBy<T, K extends string | number>(
  items: readonly T[],
  key: (item: T) => K,
  breathe: Breather,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort((one, other) => compare(key(one), key(other))));
    await breathe();
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(await merged(runs[i] ?? [], runs[i + 1] ?? [], key, breathe));
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merged<T, K extends string | number>(
  one: T[],
  other: T[],
  key: (item: T) => K,
  breathe: Breather,
): Promise<T[]> {
  const [last, first] = [one.at(-1), other[0]];
  // What comes in order, as listings do, is not compared item by item.
  if (last && first && compare(key(last), key(first)) <= 0) return one.concat(other);
  const result: T[] = [];
  let next = 0;
  for (const [i, item] of one.entries()) {
    while (next < other.length && compare(key(other[next] as T), key(item)) < 0)
      result.push(other[next++] as T);
    result.push(item);
    if (i % RUN === 0) await breathe();
  }
  for (; next < other.length; next++) result.push(other[next] as T);
  return result;
}

/** Texts by UTF-16 code units, as `compareText`. */
function compare<K extends string | number>(one: K, other: K): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A text of fixed length that is less the greater the number is. */
export function descending(number: number): string {
  return (Number.MAX_SAFE_INTEGER - number).toString().padStart(16, '0');
}
