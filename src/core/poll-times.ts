import { backOff } from '../lib/back-off.js';
import type { Random } from '../lib/clock.js';
import type { Trust } from '../lib/fetch/hop.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Longest wait between two tries of a source that fails. */
export const LONGEST_BACKOFF = HOUR;
/** Longest wait that a server can ask for: a wrong `Retry-After` must not silence a source for years. */
export const LONGEST_RETRY_AFTER = HOUR;
/** Shortest wait that a server can ask for, where the schedule is not shorter anyway. */
const SHORTEST_RETRY_AFTER = 10 * SECOND;

export interface Failing {
  /** Failures in a row, this one included. */
  readonly failures: number;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly now: number;
  /** The earliest time that the server asked for; it wins over the backoff, in both directions. */
  readonly notBefore?: number | undefined;
  /** Can trying again not help before somebody changes something? */
  readonly permanent?: boolean | undefined;
  /** Who named the source? What the operator has named is never left alone for long. */
  readonly trust: Trust;
}

/**
 * When to try a failing source again, ms since the epoch. The wait is the interval, doubled with every failure in a
 * row (quadrupled, where trying again cannot help by itself), of which a random part is waited (`backOff`). It is an hour at
 * most, and for a source that the operator has named two intervals at most (but a minute at least).
 */
export function retryAt(state: Failing, random: Random): number {
  const { failures, interval, now, notBefore, permanent, trust } = state;
  if (notBefore !== undefined && notBefore > now) {
    const earliest = now + Math.min(interval, SHORTEST_RETRY_AFTER);
    return Math.min(Math.max(notBefore, earliest), now + LONGEST_RETRY_AFTER);
  }
  const configured = Math.min(Math.max(2 * interval, MINUTE), LONGEST_BACKOFF);
  const longest = trust === 'configured' ? configured : LONGEST_BACKOFF;
  const times = { first: Math.max(interval, SECOND), longest, factor: permanent ? 4 : 2 };
  return now + backOff(failures, times, random);
}

/** However rare the polls: nobody who asks for "at three" expects them at four. */
const LARGEST_PHASE = 5 * 60_000;

/**
 * How long after the times of the schedule a source may be polled, in ms. Every source gets a phase of its
 * own below this, so that a thousand of them do not set off in one second.
 */
export function largestPhase(interval: number): number {
  return Math.min(interval / 2, LARGEST_PHASE);
}

/** A source that says itself when something changes is polled once in so many intervals (design, section 12). */
export const HEARD_STRETCH = 6;

/**
 * The latest time, in ms since the epoch, for which a poll can have been planned. A time after it was planned before the clock
 * was set back: to wait for it would mean to wait until the clock has caught up.
 */
export function latestAttempt(
  { failing }: { readonly failing: boolean },
  { now, next, interval }: Now,
): number {
  if (failing) return now + Math.max(LONGEST_BACKOFF, LONGEST_RETRY_AFTER);
  return next + largestPhase(interval) + (HEARD_STRETCH - 1) * interval;
}

/** What is remembered of earlier polls; see `SourceRecord`. */
interface Remembered {
  readonly lastSuccess?: number;
  readonly nextAttempt?: number;
  readonly failures: number;
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
  record: Remembered | undefined,
  { now, next, interval }: Now,
  random: Random,
): number {
  if (record?.lastSuccess === undefined) return now;
  const latest = record.failures > 0 ? now + LONGEST_RETRY_AFTER : next + largestPhase(interval);
  const planned = record.nextAttempt ?? now;
  if (planned > now && planned <= latest) return planned;
  return now + random() * largestPhase(interval);
}
