import type { Clock } from '../../lib/clock.js';

/** Changes come in company: what has changed is followed after this part of the time between two polls, and a second at most. */
const COMPANY = { part: 1 / 300, mostMs: 1_000 } as const;
/** So often something is followed, one time after the other. */
const AT_ONCE = 5;
/** Beyond that, once in a tenth of the time between two polls, and at least once in 30 s. */
const EACH = { part: 0.1, mostMs: 30_000 } as const;

export interface GatheredChangesOptions {
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  /** Called when what has changed is to be followed. */
  readonly follow: () => void;
}

/**
 * Decides when what has changed is followed: together with what changes in the next moment, and later when there is always
 * something. While nodes join a network, each of them is told of by all that hear of it: each change that is passed on
 * makes all readers ask for it.
 */
export class GatheredChanges {
  readonly #clock: Clock;
  readonly #company: number;
  readonly #each: number;
  readonly #follow: () => void;
  #left = AT_ONCE;
  #countedAt = 0;
  #waiting: AbortController | undefined;

  constructor({ clock, interval, follow }: GatheredChangesOptions) {
    this.#clock = clock;
    this.#company = Math.min(COMPANY.mostMs, interval * COMPANY.part);
    this.#each = Math.min(EACH.mostMs, interval * EACH.part);
    this.#follow = follow;
  }

  /** Something has changed: `follow` is called in time. */
  note(): void {
    if (this.#waiting) return;
    const now = this.#clock.now();
    const gained = Math.max(0, now - this.#countedAt) / this.#each;
    this.#left = Math.min(AT_ONCE, this.#left + gained) - 1;
    this.#countedAt = now;
    this.#waiting = new AbortController();
    const wait = Math.max(this.#company, -this.#left * this.#each);
    this.#clock.sleep(wait, this.#waiting.signal).then(this.#follow, () => undefined);
  }

  /** Is something waiting? It is followed now, and waits no longer. */
  take(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.abort();
    return waiting !== undefined;
  }
}
