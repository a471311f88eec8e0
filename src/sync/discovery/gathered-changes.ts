import type { Clock } from '../../lib/clock.js';

/** Changes that are followed at once, one after the other. */
const AT_ONCE = 5;
/** Of the others one is followed in a tenth of the time between two polls, and at least one in 30 s. */
const EACH = { part: 0.1, mostMs: 30_000 } as const;

export interface GatheredChangesOptions {
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  /** Called when changes that were to wait have waited. */
  readonly later: () => void;
}

/**
 * Decides whether what has changed is followed now, or later together with what changes until then. While nodes join a
 * network, each of them is told of by all that hear of it: each change that is passed on makes all readers ask for it.
 */
export class GatheredChanges {
  readonly #clock: Clock;
  readonly #each: number;
  readonly #later: () => void;
  #left = AT_ONCE;
  #countedAt = 0;
  #waiting: AbortController | undefined;

  constructor({ clock, interval, later }: GatheredChangesOptions) {
    this.#clock = clock;
    this.#each = Math.min(EACH.mostMs, interval * EACH.part);
    this.#later = later;
  }

  /** Something has changed: is it followed now? If not, `later` is called in time. */
  isNow(): boolean {
    if (this.#waiting) return false;
    const now = this.#clock.now();
    const gained = Math.max(0, now - this.#countedAt) / this.#each;
    this.#left = Math.min(AT_ONCE, this.#left + gained) - 1;
    this.#countedAt = now;
    if (this.#left >= 0) return true;
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#clock.sleep(-this.#left * this.#each, waiting.signal).then(this.#later, () => undefined);
    return false;
  }

  /** Is something waiting? It is followed now, and waits no longer. */
  take(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.abort();
    return waiting !== undefined;
  }
}
