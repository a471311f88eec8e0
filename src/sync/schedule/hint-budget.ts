import type { Trust } from '../../lib/fetch/hop.js';

/** Least time between the beginnings of two polls of a source because of hints, in ms. */
const DISTANCE = 1000;
/** Polls of a learned source because of hints: so many at once, and one more in each of these times, in ms. */
const LEARNED = { burst: 5, each: 10_000 } as const;

/**
 * How soon a source may be polled because of a hint. Edits are few and come in bursts; a learned source that hints all
 * the time gets no more than its share.
 */
export class HintBudget {
  readonly #isBounded: boolean;
  #left: number = LEARNED.burst;
  #countedAt = 0;

  constructor(trust: Trust) {
    this.#isBounded = trust === 'learned';
  }

  /** When a poll may begin, ms since the epoch, given when the last one began. */
  earliest(now: number, began: number): number {
    const soonest = Math.max(now, began + DISTANCE);
    if (!this.#isBounded) return soonest;
    this.#count(now);
    return this.#left >= 1 ? soonest : Math.max(soonest, now + (1 - this.#left) * LEARNED.each);
  }

  /** A poll will be made because of a hint, perhaps later, when there is a share for it. */
  spend(now: number): void {
    this.#count(now);
    this.#left -= 1;
  }

  #count(now: number): void {
    this.#left = Math.min(LEARNED.burst, this.#left + (now - this.#countedAt) / LEARNED.each);
    this.#countedAt = now;
  }
}
