import { lowerBound } from '../../../lib/lower-bound.js';

interface Placed {
  readonly position: number;
}

/** Stands where something has gone, until the list is made anew. */
class Hole implements Placed {
  readonly position: number;

  constructor({ position }: Placed) {
    this.position = position;
  }
}

/** Holes that are tolerated before the list is made anew. */
const LEAST_HOLES = 1000;

/** Things that have a position, in the order of positions: to come to the end of it, and to go from anywhere. */
export class ChangeOrder<T extends Placed> {
  #items: (T | Hole)[] = [];
  #holes = 0;

  /** Takes them over; they may be in any order. */
  load(items: readonly T[]): void {
    this.#items = sortedByPosition(items);
    this.#holes = 0;
  }

  get size(): number {
    return this.#items.length - this.#holes;
  }

  /** Adds one behind all others. */
  append(item: T): void {
    this.#items.push(item);
  }

  /** Puts one in the place of the one with the same position. */
  replace(item: T): void {
    const at = this.#indexAfter(item.position - 1);
    if (this.#items[at]?.position === item.position) this.#items[at] = item;
  }

  delete({ position }: T): void {
    const at = this.#indexAfter(position - 1);
    const item = this.#items[at];
    if (item?.position !== position || item instanceof Hole) return;
    this.#items[at] = new Hole(item);
    this.#holes += 1;
    if (this.#holes <= LEAST_HOLES || this.#holes <= this.#items.length / 2) return;
    this.#items = this.#items.filter((one) => !(one instanceof Hole));
    this.#holes = 0;
  }

  /** Those with greater positions, in order; to be read on before anything changes. */
  *after(position: number): Generator<T> {
    for (let at = this.#indexAfter(position); at < this.#items.length; at++) {
      const item = this.#items[at];
      if (item && !(item instanceof Hole)) yield item;
    }
  }

  #indexAfter(position: number): number {
    return lowerBound(this.#items, (other) => other.position > position);
  }
}

/** Sorts numbers of both, place and position: many times as fast as a comparison of objects. */
function sortedByPosition<T extends Placed>(items: readonly T[]): T[] {
  const most = items.reduce((most, { position }) => Math.max(most, position), 0);
  if (most * items.length > Number.MAX_SAFE_INTEGER) {
    return [...items].sort((one, other) => one.position - other.position);
  }
  const keys = new Float64Array(items.length);
  for (let place = 0; place < items.length; place++)
    keys[place] = (items[place] as T).position * items.length + place;
  const sorted = new Array<T>(items.length);
  for (const [at, key] of keys.sort().entries()) sorted[at] = items[key % items.length] as T;
  return sorted;
}
