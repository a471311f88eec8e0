interface Rest {
  readonly until: number;
  readonly failures: number;
}

/** How long something is left alone after it has failed, in ms: doubled each time, up to the second figure. */
export interface RestTimes {
  readonly first: number;
  readonly longest: number;
}

/** How many are remembered; those that have failed longest ago are forgotten. */
const REMEMBERED = 10_000;

/** What has failed, and is left alone for a while. */
export class Rests {
  readonly #times: RestTimes;
  readonly #now: () => number;
  readonly #rests = new Map<string, Rest>();

  constructor(times: RestTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  get size(): number {
    return this.#rests.size;
  }

  has(key: string): boolean {
    return (this.#rests.get(key)?.until ?? 0) > this.#now();
  }

  failed(key: string): void {
    const failures = this.#rests.get(key)?.failures ?? 0;
    const ms = Math.min(this.#times.first * 2 ** failures, this.#times.longest);
    this.#rests.delete(key);
    this.#rests.set(key, { until: this.#now() + ms, failures: failures + 1 });
    const [oldest] = this.#rests.keys();
    if (this.#rests.size > REMEMBERED && oldest !== undefined) this.#rests.delete(oldest);
  }

  succeeded(key: string): void {
    this.#rests.delete(key);
  }
}
