import { lowerBound } from '../../../lib/lower-bound.js';
import type { Breather } from '../../../lib/pace.js';
import { type Entry, NOTHING, type Ordered } from '../listing/entry.js';
import { positionOf } from '../listing/listing.js';
import { countMembers, STRIDE, type Subset } from './counting.js';

/** Fields whose values lead to components. */
export const POSTED_FIELDS = ['shapes', 'tag', 'author'] as const;
export type PostedField = (typeof POSTED_FIELDS)[number];
export type Postings = Readonly<Record<PostedField, PostingLists>>;

/** An entry that comes, and the position in the served listing of the entry that it will stand before. */
export interface Placed {
  readonly entry: Entry;
  readonly position: number;
}

/** What becomes of the list of one value. */
interface ListChange {
  gone?: Set<Entry>;
  readonly come: Placed[];
}

const NO_ENTRIES: ReadonlySet<Entry> = new Set();

/** For each value of one field, the entries that have it: a posting list. */
export class PostingLists {
  readonly #lists = new Map<string, Ordered>();

  get(value: string): Ordered {
    return this.#lists.get(value) ?? NOTHING;
  }

  /** Each value, and its list. */
  get all(): (readonly [value: string, entries: Ordered])[] {
    return [...this.#lists];
  }

  /** How many entries have each value. */
  counts(): Map<string, number> {
    return new Map([...this.#lists].map(([value, { length }]) => [value, length]));
  }

  /** How many of these have each value, as it is now. Gives way to other work. */
  async countsAmong(subset: Subset, breathe: Breather): Promise<Map<string, number>> {
    const lists = [...this.#lists];
    const members = await subset.members(breathe);
    const counts = new Map<string, number>();
    for (const [value, list] of lists) {
      let count = 0;
      for (let at = 0; at < list.length; at += STRIDE) {
        count += countMembers(list, members, at, at + STRIDE);
        const pause = breathe();
        if (pause) await pause;
      }
      if (count > 0) counts.set(value, count);
    }
    return counts;
  }

  /** Adds an entry that stands behind all others: while loading, before anybody reads. */
  append(value: string, entry: Entry): void {
    const list = this.#lists.get(value) as Entry[] | undefined;
    if (list) list.push(entry);
    else this.#lists.set(value, [entry]);
  }

  /** The lists as they will be, by value. Gives way to other work; `swap` makes them the ones that are read. */
  async prepare(changes: ValueChanges, breathe: Breather): Promise<Map<string, Ordered>> {
    const lists = new Map<string, Ordered>();
    for (const [value, { gone = NO_ENTRIES, come }] of changes.byValue) {
      lists.set(value, replaced(this.get(value), gone, come));
      await breathe();
    }
    return lists;
  }

  swap(lists: ReadonlyMap<string, Ordered>): void {
    for (const [value, list] of lists) {
      if (list.length === 0) this.#lists.delete(value);
      else this.#lists.set(value, list);
    }
  }
}

/** Collects, per value of one field, which entries go and which come; these in the order of their uris. */
export class ValueChanges {
  readonly byValue = new Map<string, ListChange>();

  remove(values: readonly string[], entry: Entry): void {
    for (const value of values) {
      const change = this.#of(value);
      change.gone ??= new Set();
      change.gone.add(entry);
    }
  }

  add(values: readonly string[], placed: Placed): void {
    for (const value of values) this.#of(value).come.push(placed);
  }

  #of(value: string): ListChange {
    const known = this.byValue.get(value);
    if (known) return known;
    const change: ListChange = { come: [] };
    this.byValue.set(value, change);
    return change;
  }
}

/** The entries that are in all lists. The shortest is walked, the others are searched. */
export function intersection(lists: readonly Ordered[]): Ordered {
  const [shortest = NOTHING, ...others] = [...lists].sort((one, other) => one.length - other.length);
  return others.reduce((common, list) => common.filter(memberOf(list)), shortest);
}

/** The entries that are in one of the lists at least, each once. */
export function union([first = NOTHING, ...others]: readonly Ordered[]): Ordered {
  return others.reduce(merged, first);
}

function merged(one: Ordered, other: Ordered): Ordered {
  const result: Entry[] = [];
  let next = 0;
  for (const entry of one) {
    const position = positionOf(entry);
    for (let before = other[next]; before && positionOf(before) <= position; before = other[++next]) {
      if (before !== entry) result.push(before);
    }
    result.push(entry);
  }
  return [...result, ...other.slice(next)];
}

/** A test for entries that are asked for in the order of the listing. */
function memberOf(list: Ordered): (entry: Entry) => boolean {
  let at = 0;
  return (entry) => {
    const position = positionOf(entry);
    // In leaps that double, then between the last two: cheap for near and for far members.
    let leap = 1;
    while (at + leap < list.length && positionOf(list[at + leap] as Entry) < position) leap *= 2;
    at = lowerBound(list, (other) => positionOf(other) >= position, at, Math.min(at + leap, list.length));
    return list[at] === entry;
  };
}

/** So few changes are cut into a copy of the list; for more of them it is walked. */
const FEW = 200;

function replaced(list: Ordered, gone: ReadonlySet<Entry>, come: readonly Placed[]): Ordered {
  if (gone.size + come.length < Math.min(FEW, list.length / 16)) return spliced(list, gone, come);
  const result: Entry[] = [];
  let next = 0;
  for (const entry of list) {
    const position = next < come.length ? positionOf(entry) : 0;
    for (let arrival = come[next]; arrival && arrival.position <= position; arrival = come[++next]) {
      result.push(arrival.entry);
    }
    if (!gone.has(entry)) result.push(entry);
  }
  for (; next < come.length; next++) result.push((come[next] as Placed).entry);
  return result;
}

/** A place where an entry comes, or so many go. */
interface Cut {
  readonly at: number;
  readonly skip: number;
  readonly entry: Entry | undefined;
}

/** Does one entry come where one goes, as when a component is described anew? */
function isReplacement({ at, entry }: Cut, i: number, cuts: readonly Cut[]): boolean {
  const other = cuts[i % 2 === 0 ? i + 1 : i - 1];
  return other?.at === at && (i % 2 === 0 ? entry !== undefined : entry === undefined);
}

function replacedOneByOne(list: Ordered, cuts: readonly Cut[]): Ordered {
  const result = list.slice();
  for (const { at, entry } of cuts) if (entry) result[at] = entry;
  return result;
}

/** Runs between two places where something changes are copied whole. */
function spliced(list: Ordered, gone: ReadonlySet<Entry>, come: readonly Placed[]): Ordered {
  const place = (position: number) => lowerBound(list, (entry) => positionOf(entry) >= position);
  const cuts: Cut[] = [
    ...[...gone].map((entry) => ({ at: place(positionOf(entry)), skip: 1, entry: undefined })),
    ...come.map(({ position, entry }) => ({ at: place(position), skip: 0, entry })),
  ].sort((one, other) => one.at - other.at || one.skip - other.skip);
  if (cuts.every(isReplacement)) return replacedOneByOne(list, cuts);
  const runs: Ordered[] = [];
  let from = 0;
  for (const { at, skip, entry } of cuts) {
    runs.push(list.slice(from, at));
    if (entry) runs.push([entry]);
    from = at + skip;
  }
  runs.push(list.slice(from));
  return NOTHING.concat(...runs);
}
