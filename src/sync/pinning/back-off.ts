/** For how long something is not tried after a failure, in ms: doubled with each further one, up to the second figure. */
export interface BackOffTimes {
  readonly first: number;
  readonly longest: number;
}

interface Failed {
  readonly until: number;
  readonly failures: number;
  readonly error: string;
  /** ms since the Unix epoch. */
  readonly at: number;
}

/** How many are remembered; those that have failed longest ago are forgotten. */
const REMEMBERED = 10_000;

/** What has failed, and when it may be tried again. */
export class BackOff {
  readonly #times: BackOffTimes;
  readonly #now: () => number;
  readonly #failed = new Map<string, Failed>();

  constructor(times: BackOffTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  isWaiting(key: string): boolean {
    return (this.#failed.get(key)?.until ?? 0) > this.#now();
  }

  failed(key: string, error: string): void {
    const failures = this.#failed.get(key)?.failures ?? 0;
    const [at, ms] = [this.#now(), Math.min(this.#times.first * 2 ** failures, this.#times.longest)];
    this.#failed.delete(key);
    this.#failed.set(key, { until: at + ms, failures: failures + 1, error, at });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > REMEMBERED && oldest !== undefined) this.#failed.delete(oldest);
  }

  succeeded(key: string): void {
    this.#failed.delete(key);
  }

  /** Those that have failed last, the latest first. */
  latest(count: number): (readonly [key: string, failed: Failed])[] {
    return [...this.#failed].slice(-count).reverse();
  }
}
