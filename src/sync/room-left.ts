import { sizeOf } from '../component/component-size.js';
import type { Metadata } from '../component/metadata.js';
import { difference, sum } from '../core/limits.js';
import type { Amount } from '../core/reading.js';

/** With less than this part of its bytes left, or with fewer bytes than these, a source is full: nothing new of it is read. */
const FULL = { part: 1 / 16, bytes: 4_096 } as const;

/** How much more a reader may hold of what it reads, in descriptions and bytes of their texts. */
export class RoomLeft {
  #left: Amount;
  readonly #fullAt: number;

  /** @param most that there is room for when nothing is held */
  constructor(left: Amount, most = left) {
    this.#left = left;
    this.#fullAt = Math.max(most.bytes * FULL.part, FULL.bytes);
  }

  /** Is there no room worth speaking of? */
  get isFull(): boolean {
    return this.#left.components < 1 || this.#left.bytes < this.#fullAt;
  }

  /** True, and less is left, when there is room for a component. */
  admits(component: Metadata): boolean {
    return this.#admits({ components: 1, bytes: sizeOf(component) });
  }

  /** True, and less is left, when there is room for so many bytes of other text. */
  admitsText(bytes: number): boolean {
    return this.#admits({ components: 0, bytes });
  }

  /** Holds a component, whether or not there is room for it. */
  hold(component: Metadata): void {
    this.#left = difference(this.#left, { components: 1, bytes: sizeOf(component) });
  }

  release(component: Metadata): void {
    this.#left = sum(this.#left, { components: 1, bytes: sizeOf(component) });
  }

  #admits(amount: Amount): boolean {
    const left = difference(this.#left, amount);
    const isAdmitted = left.components >= 0 && left.bytes >= 0;
    if (isAdmitted) this.#left = left;
    return isAdmitted;
  }
}
