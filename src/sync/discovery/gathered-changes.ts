import type { Clock } from '../../lib/clock.js';

/** Changes that are followed at once, one after the other; then one in each of these times, in ms. */
const AT_ONCE = { changes: 5, each: 30_000 } as const;

/**
 * Decides whether what has changed is followed now, or later together with what changes until then. While nodes join a
 * network, each of them is told of by all that hear of it: each change that is passed on makes all readers ask for it.
 */
export class GatheredChanges {
  readonly #clock: Clock;
  readonly #later: () => void;
  #left: number = AT_ONCE.changes;
  #countedAt = 0;
  #waiting: AbortController | undefined;

  /** `later`: called when changes that were to wait have waited. */
  constructor(clock: Clock, later: () => void) {
    this.#clock = clock;
    this.#later = later;
  }

  /** Something has changed: is it followed now? If not, `later` is called in time. */
  isNow(): boolean {
    if (this.#waiting) return false;
    const now = this.#clock.now();
    const gained = Math.max(0, now - this.#countedAt) / AT_ONCE.each;
    this.#left = Math.min(AT_ONCE.changes, this.#left + gained) - 1;
    this.#countedAt = now;
    if (this.#left >= 0) return true;
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#clock.sleep(-this.#left * AT_ONCE.each, waiting.signal).then(this.#later, () => undefined);
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
