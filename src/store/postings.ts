import { compareUri } from '../component/metadata.js';
import type { Entry } from './entry.js';

/** Entries in the order of their uris. Never changed in place: who holds one holds a snapshot. */
export type Ordered = readonly Entry[];

export const NOTHING: Ordered = [];

/** A list with some entries gone and others come; `come` may be in any order. Takes one pass over the list. */
export function merged(list: Ordered, gone: ReadonlySet<Entry>, come: readonly Entry[]): Ordered {
  const fresh = [...come].sort(byUri);
  const result: Entry[] = [];
  let next = 0;
  for (const entry of list) {
    if (gone.has(entry)) continue;
    for (let arrived = fresh[next]; arrived && byUri(arrived, entry) < 0; arrived = fresh[++next]) {
      result.push(arrived);
    }
    result.push(entry);
  }
  for (; next < fresh.length; next++) result.push(fresh[next] as Entry);
  return result;
}

/** The position of the first entry whose uri is greater than `uri`. */
export function positionAfter(list: Ordered, uri: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUri((list[middle] as Entry).metadata.uri, uri) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function byUri(one: Entry, other: Entry): number {
  return compareUri(one.metadata.uri, other.metadata.uri);
}

/** For each value of one field, the entries that have it: a posting list. */
export class PostingLists {
  readonly #lists = new Map<string, Ordered>();
  readonly #valuesOf: (entry: Entry) => readonly string[];

  constructor(valuesOf: (entry: Entry) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): Ordered {
    return this.#lists.get(value) ?? NOTHING;
  }

  values(): Iterable<string> {
    return this.#lists.keys();
  }

  update(gone: ReadonlySet<Entry>, come: readonly Entry[]): void {
    const arrivals = new Map<string, Entry[]>();
    const touched = (value: string): Entry[] => {
      const list = arrivals.get(value) ?? [];
      arrivals.set(value, list);
      return list;
    };
    for (const entry of gone) this.#valuesOf(entry).forEach(touched);
    for (const entry of come) for (const value of this.#valuesOf(entry)) touched(value).push(entry);
    for (const [value, arrived] of arrivals) {
      const list = merged(this.get(value), gone, arrived);
      if (list.length === 0) this.#lists.delete(value);
      else this.#lists.set(value, list);
    }
  }
}
