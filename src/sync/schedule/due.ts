import type { Random } from '../../lib/clock.js';
import type { SourceRecord } from '../../registry/source-record.js';
import { LONGEST_RETRY_AFTER } from './backoff.js';

/** However rare the polls: nobody who asks for "at three" expects them at four. */
const LARGEST_PHASE = 5 * 60_000;

/**
 * How long after the times of the schedule a source may be polled, in ms. Every source gets a phase of its
 * own below this, so that a thousand of them do not set off in one second.
 */
export function largestPhase(interval: number): number {
  return Math.min(interval / 2, LARGEST_PHASE);
}

export interface Now {
  readonly now: number;
  /** The next time that the schedule names. */
  readonly next: number;
  /** Milliseconds between regular polls. */
  readonly interval: number;
}

/**
 * When to poll a source for the first time since the start, or since it was learned. One that was never read
 * is due at once; the others keep the time they had, or are spread when that has passed while nobody was there.
 * A time beyond what the schedule (or a server's `Retry-After`) can ask for belongs to an earlier configuration.
 */
export function firstAttempt(
  record: SourceRecord | undefined,
  { now, next, interval }: Now,
  random: Random,
): number {
  if (record?.lastSuccess === undefined) return now;
  const latest = record.failures > 0 ? now + LONGEST_RETRY_AFTER : next + largestPhase(interval);
  const planned = record.nextAttempt ?? now;
  if (planned > now && planned <= latest) return planned;
  return now + random() * largestPhase(interval);
}

/** Finds what is due among sources that are mostly not: until the earliest time of all of them, it does not look. */
export class DueSources<T extends { readonly nextAttempt: number }> {
  #notBefore = 0;

  /** Those whose time has come, the longest overdue first. */
  among(planned: Iterable<T>, now: number): T[] {
    if (now < this.#notBefore) return [];
    this.#notBefore = Number.POSITIVE_INFINITY;
    const all = [...planned];
    for (const { nextAttempt } of all) this.#notBefore = Math.min(this.#notBefore, nextAttempt);
    return all
      .filter(({ nextAttempt }) => nextAttempt <= now)
      .sort((one, other) => one.nextAttempt - other.nextAttempt);
  }

  /** To be told when a source has come, or has got another time. */
  planned(): void {
    this.#notBefore = 0;
  }
}
