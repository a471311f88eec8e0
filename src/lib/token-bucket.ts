/** Bounds how often something is done: `burst` times at once, and once more after each `each` ms. Times are ms. */
export class TokenBucket {
  readonly #burst: number;
  readonly #each: number;
  #left: number;
  #countedAt = 0;

  constructor(burst: number, each: number) {
    [this.#burst, this.#each, this.#left] = [burst, each, burst];
  }

  /** How long to wait until it may be done the next time; 0 when it may be done now. */
  wait(now: number): number {
    const gained = Math.max(0, now - this.#countedAt) / this.#each;
    this.#left = Math.min(this.#burst, this.#left + gained);
    this.#countedAt = now;
    return Math.max(0, 1 - this.#left) * this.#each;
  }

  /** It is done, or will be after the wait that is returned. */
  take(now: number): number {
    const wait = this.wait(now);
    this.#left -= 1;
    return wait;
  }
}
