import type { Cursor } from '../core/cursor.js';
import { lowerBound } from '../lib/lower-bound.js';

type RememberedState = Pick<Cursor, 'position' | 'digest'>;

/** States that a registry has been in, by position: what a cursor of a reader is compared with. A hundred thousand take 2 MB. */
export class RememberedStates {
  readonly #positions: number[] = [];
  /** The digits of a cursor's digest, read as a number. */
  readonly #digests: number[] = [];

  /** A state behind all others; the latest of those with one position is remembered. */
  add({ position, digest }: RememberedState): void {
    if (this.#positions.at(-1) === position) {
      this.#positions.pop();
      this.#digests.pop();
    }
    this.#positions.push(position);
    this.#digests.push(Number.parseInt(digest, 16));
  }

  digestAt(position: number): string | undefined {
    const at = lowerBound(this.#positions, (other) => other >= position);
    if (this.#positions[at] !== position) return undefined;
    return this.#digests[at]?.toString(16).padStart(8, '0');
  }

  /** Forgets all states before a position. */
  forgetBefore(position: number): void {
    const count = lowerBound(this.#positions, (other) => other >= position);
    this.#positions.splice(0, count);
    this.#digests.splice(0, count);
  }

  /** The position of the first of so many states, the last ones; 0 where there are not as many. */
  firstOf(count: number): number {
    return this.#positions.at(-count) ?? 0;
  }
}
