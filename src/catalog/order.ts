import { grouped } from '../lib/grouped.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { editedBy } from './edited.js';

interface Positioned {
  readonly position: number;
}

type Stretch<T> = readonly T[];

/** Items of a stretch at most; of two that stand side by side, and of which one was made anew, more than this together. */
const LONGEST = 1000;
const positionOf = ({ position }: Positioned) => position;

/**
 * Items in the order of their positions, which are all different. It is never changed: a change makes another one, which shares the
 * stretches in which nothing changes. So what comes at the end is cheap, however many there are.
 */
export class Order<T extends Positioned> implements Iterable<T> {
  readonly size: number;
  /** None is empty. */
  readonly #stretches: readonly Stretch<T>[];

  private constructor(stretches: readonly Stretch<T>[]) {
    this.#stretches = stretches;
    this.size = stretches.reduce((sum, { length }) => sum + length, 0);
  }

  /** The order of items that come in any order. Gives way to other work. */
  static async of<T extends Positioned>(items: readonly T[], breathe: Breather): Promise<Order<T>> {
    // Numbers alone are sorted ten times as fast as objects by their numbers.
    const positions = Array.from(Float64Array.from(items, positionOf).sort());
    const order = new Array<T>(items.length);
    for (const item of items) {
      order[lowerBound(positions, (other) => other >= item.position)] = item;
      const pause = breathe();
      if (pause) await pause;
    }
    // Damaged rows may have one position twice.
    return new Order(
      added(
        [],
        order.filter(() => true),
      ),
    );
  }

  [Symbol.iterator](): Generator<T> {
    return this.behind(Number.NEGATIVE_INFINITY);
  }

  /** Those with greater positions. */
  *behind(position: number): Generator<T> {
    const isBehind = (item: T) => item.position > position;
    for (let number = this.#numberFor(position); number < this.#stretches.length; number++) {
      const stretch = this.#stretches[number] as Stretch<T>;
      for (let at = lowerBound(stretch, isBehind); at < stretch.length; at++) yield stretch[at] as T;
    }
  }

  /** The order with what is at these positions from now on, nothing where it is undefined. Gives way to other work. */
  async changed(edits: ReadonlyMap<number, T | undefined>, breathe: Breather): Promise<Order<T>> {
    if (edits.size === 0) return this;
    const sorted = await sortedBy([...edits], ([position]) => position, breathe);
    const stretches: Stretch<T>[] = [];
    let from = 0;
    for (const [number, some] of grouped(sorted, ([position]) => this.#numberFor(position))) {
      this.#take(from, number, stretches);
      added(stretches, await editedBy(this.#stretches[number] ?? [], positionOf, some, breathe));
      from = number + 1;
    }
    this.#take(from, this.#stretches.length, stretches);
    return new Order(stretches);
  }

  /** Takes stretches over whole, but for the first, which may be joined with what stands before it. */
  #take(from: number, to: number, stretches: Stretch<T>[]): void {
    if (from < to) added(stretches, this.#stretches[from] as Stretch<T>);
    for (let number = from + 1; number < to; number++) stretches.push(this.#stretches[number] as Stretch<T>);
  }

  /** The number of the stretch where a position stands, or would: the last one for all that come. */
  #numberFor(position: number): number {
    return Math.max(lowerBound(this.#stretches, ([first]) => (first as T).position > position) - 1, 0);
  }
}

/** Adds items at the end: to the last stretch where they find room, or as stretches of their own. */
function added<T>(stretches: Stretch<T>[], items: Stretch<T>): Stretch<T>[] {
  const last = stretches.at(-1);
  if (last && items.length > 0 && last.length + items.length <= LONGEST)
    stretches.splice(-1, 1, last.concat(items));
  else if (items.length > 0 && items.length <= LONGEST) stretches.push(items);
  else for (let at = 0; at < items.length; at += LONGEST) stretches.push(items.slice(at, at + LONGEST));
  return stretches;
}
