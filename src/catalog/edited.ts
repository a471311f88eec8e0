import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';

/** What is listed under a uri. */
export interface Listed {
  readonly uri: string;
}

const FEW = 1000;

/** What stands under each uri from now on, nothing where it is undefined; in the order of uris, each uri once. */
export type Edits<T extends Listed> = readonly (readonly [uri: string, item: T | undefined])[];

/**
 * A list in the order of uris, each uri once, as these edits leave it; the list itself is never changed. The stretches between
 * two edits are copied whole, so that a few edits of a long list are cheap. Gives way to other work.
 */
export async function edited<T extends Listed>(
  list: readonly T[],
  edits: Edits<T>,
  breathe: Breather,
): Promise<readonly T[]> {
  const stretches: (readonly T[])[] = [];
  let from = 0;
  for (const [uri, item] of edits) {
    const at = placeFrom(list, uri, from);
    if (at > from) stretches.push(list.slice(from, at));
    if (item) stretches.push([item]);
    from = list[at]?.uri === uri ? at + 1 : at;
    const pause = breathe();
    if (pause) await pause;
  }
  stretches.push(from === 0 ? list : list.slice(from));
  if (stretches.length === 1) return stretches[0] ?? [];
  // A few long stretches are joined many times as fast by `concat`.
  return stretches.length < FEW ? ([] as T[]).concat(...stretches) : stretches.flat();
}

/** The place of the first item whose uri is not less, at `from` or behind it: in leaps that double, then between the last two. */
export function placeFrom(list: readonly Listed[], uri: string, from = 0): number {
  let leap = 1;
  while (from + leap < list.length && (list[from + leap] as Listed).uri < uri) leap *= 2;
  const end = Math.min(from + leap + 1, list.length);
  return lowerBound(list, (item) => item.uri >= uri, from + (leap >> 1), end);
}

export function itemOf<T extends Listed>(list: readonly T[], uri: string): T | undefined {
  const item = list[placeFrom(list, uri)];
  return item?.uri === uri ? item : undefined;
}
