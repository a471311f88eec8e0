/** Bounds how often something is done: `burst` times at once, and once more after each `each` ms. Times are ms. */
export class TokenBucket {
  readonly #burst: number;
  readonly #each: number;
  #left: number;
  #countedAt = 0;

  constructor(burst: number, each: number) {
    [this.#burst, this.#each, this.#left] = [burst, each, burst];
  }

  /** It is done after the wait that is returned; at once where that is 0. */
  take(now: number): number {
    const gained = Math.max(0, now - this.#countedAt) / this.#each;
    this.#left = Math.min(this.#burst, this.#left + gained) - 1;
    this.#countedAt = now;
    return Math.max(0, -this.#left) * this.#each;
  }
}
