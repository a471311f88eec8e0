import { lowerBound } from '../lib/lower-bound.js';
import type { Breather } from '../lib/pace.js';

interface Positioned {
  readonly position: number;
}

/** What leaves an order, and what comes, perhaps at the same positions; what comes is in the order of positions. */
export interface OrderChange<T extends Positioned> {
  readonly left: readonly T[];
  readonly came: readonly T[];
}

/** Empty places that are tolerated before the list is made anew. */
const LEAST_HOLES = 1000;

/** Items in the order of their positions: they mostly come at the end, and go from anywhere. Read and changed within one turn. */
export class ChangeOrder<T extends Positioned> {
  /** In step with each other: the position stays when its item has gone. */
  #positions: number[] = [];
  #items: (T | undefined)[] = [];
  #holes = 0;

  /** The order of these items, which come in any order; no two have one position. Gives way to other work. */
  static async of<T extends Positioned>(items: readonly T[], breathe: Breather): Promise<ChangeOrder<T>> {
    const order = new ChangeOrder<T>();
    // Numbers alone are sorted ten times as fast as objects by their numbers.
    order.#positions = Array.from(Float64Array.from(items, ({ position }) => position).sort());
    order.#items = new Array(items.length).fill(undefined);
    for (const item of items) {
      order.#items[order.#placeOf(item.position)] = item;
      const pause = breathe();
      if (pause) await pause;
    }
    return order;
  }

  get size(): number {
    return this.#items.length - this.#holes;
  }

  /** Never throws, whatever the positions are: a change that readers are being shown must be taken in whole. */
  change({ left, came }: OrderChange<T>): void {
    for (const one of left) this.#delete(one);
    const late = came.filter((item) => !this.#put(item));
    const isFullOfHoles = this.#holes > LEAST_HOLES && this.#holes > this.#items.length / 2;
    if (late.length === 0 && !isFullOfHoles) return;
    const items = this.#items.filter((item) => item !== undefined);
    this.#items = [...items, ...late].sort((one, other) => one.position - other.position);
    this.#positions = this.#items.map((item) => item?.position ?? 0);
    this.#holes = 0;
  }

  /** Those with greater positions, in order. */
  *after(position: number): Generator<T> {
    for (let at = this.#placeOf(position + 1); at < this.#items.length; at++) {
      const item = this.#items[at];
      if (item) yield item;
    }
  }

  #placeOf(position: number): number {
    return lowerBound(this.#positions, (other) => other >= position);
  }

  /** Behind all others, or where an item with the same position stands or has stood. @returns false when it has no place */
  #put(item: T): boolean {
    const { position } = item;
    if (position > (this.#positions.at(-1) ?? 0)) {
      this.#positions.push(position);
      this.#items.push(item);
      return true;
    }
    const at = this.#placeOf(position);
    if (this.#positions[at] !== position) return false;
    if (!this.#items[at]) this.#holes -= 1;
    this.#items[at] = item;
    return true;
  }

  #delete({ position }: Positioned): void {
    const at = this.#placeOf(position);
    if (this.#positions[at] !== position || !this.#items[at]) return;
    this.#items[at] = undefined;
    this.#holes += 1;
  }
}
