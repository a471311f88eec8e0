import { lowerBound } from '../lib/lower-bound.js';

interface Positioned {
  readonly position: number;
}

/** Empty places that are tolerated before the list is made anew. */
const LEAST_HOLES = 1000;

/** Items in the order of their positions: they come at the end, and go from anywhere. Read and changed within one turn. */
export class ChangeOrder<T extends Positioned> {
  /** In step with each other: the position stays when its item has gone. */
  #positions: number[] = [];
  #items: (T | undefined)[] = [];
  #holes = 0;

  get size(): number {
    return this.#items.length - this.#holes;
  }

  /** Takes items over, in any order. */
  load(items: readonly T[]): void {
    const sorted = [...items].sort((one, other) => one.position - other.position);
    this.#items = sorted;
    this.#positions = sorted.map(({ position }) => position);
    this.#holes = 0;
  }

  /** In the place of the item with the same position, else behind all others. */
  put(item: T): void {
    const { position } = item;
    const last = this.#positions.at(-1) ?? 0;
    if (position > last) {
      this.#positions.push(position);
      this.#items.push(item);
      return;
    }
    const at = this.#placeOf(position);
    if (this.#positions[at] !== position) throw new Error(`Position ${position} comes behind ${last}`);
    if (!this.#items[at]) this.#holes -= 1;
    this.#items[at] = item;
  }

  delete({ position }: Positioned): void {
    const at = this.#placeOf(position);
    if (this.#positions[at] !== position || !this.#items[at]) return;
    this.#items[at] = undefined;
    this.#holes += 1;
    if (this.#holes > LEAST_HOLES && this.#holes > this.#items.length / 2) this.#close();
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

  #close(): void {
    const items = this.#items.filter((item) => item !== undefined);
    this.load(items);
  }
}
