import { backOff } from '../lib/back-off.js';
import type { Random } from '../lib/clock.js';

const SECOND = 1000;
const HOUR = 3_600_000;

/** Longest wait between two tries of a source that fails. */
export const LONGEST_BACKOFF = HOUR;
/** Longest wait that a server can ask for: a wrong `Retry-After` must not silence a source for years. */
export const LONGEST_RETRY_AFTER = 24 * HOUR;
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
}

/**
 * When to try a failing source again, ms since the epoch. The wait is the interval, doubled with every failure in a
 * row (quadrupled, where trying again cannot help by itself) up to an hour, of which a random part is waited (`backOff`).
 */
export function retryAt({ failures, interval, now, notBefore, permanent }: Failing, random: Random): number {
  if (notBefore !== undefined && notBefore > now) {
    const earliest = now + Math.min(interval, SHORTEST_RETRY_AFTER);
    return Math.min(Math.max(notBefore, earliest), now + LONGEST_RETRY_AFTER);
  }
  const times = { first: Math.max(interval, SECOND), longest: LONGEST_BACKOFF, factor: permanent ? 4 : 2 };
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
