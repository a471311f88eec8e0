import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';

/** What is listed under a uri. */
export interface Listed {
  readonly uri: string;
}

/** What stands under each key from now on, nothing where it is undefined; in the order of the keys, each key once. */
export type Edits<T, K = string> = readonly (readonly [key: K, item: T | undefined])[];

/** Items that are copied between two pauses at most. */
const PORTION = 1000;

export const uriOf = ({ uri }: Listed) => uri;

/** A list in the order of keys as these edits leave it; the list itself is never changed. Gives way to other work. */
export async function edited<T, K extends string | number>(
  list: readonly T[],
  keyOf: (item: T) => K,
  edits: Edits<T, K>,
  breathe: Breather,
): Promise<readonly T[]> {
  if (edits.length === 0) return list;
  const result: T[] = [];
  let from = 0;
  const copyUntil = async (end: number) => {
    for (; from < end; from += PORTION) {
      result.push(...list.slice(from, Math.min(from + PORTION, end)));
      const pause = breathe();
      if (pause) await pause;
    }
    from = end;
  };
  for (const [key, item] of edits) {
    await copyUntil(placeFrom(list, keyOf, key, from));
    if (item) result.push(item);
    if (from < list.length && keyOf(list[from] as T) === key) from += 1;
  }
  await copyUntil(list.length);
  return result;
}

/** The place of the first item whose key is not less, at `from` or behind it: in leaps that double, then between the last two. */
export function placeFrom<T, K extends string | number>(
  list: readonly T[],
  keyOf: (item: T) => K,
  key: K,
  from: number,
): number {
  let leap = 1;
  while (from + leap < list.length && keyOf(list[from + leap] as T) < key) leap *= 2;
  const end = Math.min(from + leap + 1, list.length);
  return lowerBound(list, (item) => keyOf(item) >= key, from + (leap >> 1), end);
}

/** The place of the first item whose uri is greater. */
export function placeBehind(list: readonly Listed[], uri: string): number {
  return lowerBound(list, (item) => item.uri > uri);
}

export function itemOf<T extends Listed>(list: readonly T[], uri: string): T | undefined {
  const item = list[placeFrom(list, uriOf, uri, 0)];
  return item?.uri === uri ? item : undefined;
}
