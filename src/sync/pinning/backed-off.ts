import { type BackOffTimes, backOff } from '../../lib/back-off.js';

/** The last try of something, which failed. Times are ms since the Unix epoch. */
export interface Failed {
  readonly until: number;
  readonly failures: number;
  readonly error: string;
  readonly at: number;
}

/** How many are remembered; those that have failed longest ago are forgotten. */
const REMEMBERED = 10_000;

/** What has failed, and when it may be tried again. */
export class BackedOff {
  readonly #times: BackOffTimes;
  readonly #now: () => number;
  readonly #failed = new Map<string, Failed>();

  constructor(times: BackOffTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  isWaiting(key: string): boolean {
    const left = (this.#failed.get(key)?.until ?? 0) - this.#now();
    // A wait that is longer than any began before the clock was set back.
    return left > 0 && left <= this.#times.longest;
  }

  failed(key: string, error: string): void {
    const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
    const at = this.#now();
    this.#failed.delete(key);
    this.#failed.set(key, { until: at + backOff(failures, this.#times), failures, error, at });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > REMEMBERED && oldest !== undefined) this.#failed.delete(oldest);
  }

  succeeded(key: string): void {
    this.#failed.delete(key);
  }

  get(key: string): Failed | undefined {
    return this.#failed.get(key);
  }

  /** Those that have failed last, the latest first. */
  latest(count: number): (readonly [key: string, failed: Failed])[] {
    return [...this.#failed].slice(-count).reverse();
  }
}
