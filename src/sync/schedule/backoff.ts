import type { Random } from '../../lib/clock.js';

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
 * row (quadrupled, where trying again cannot help by itself) up to an hour. Of that, a random part between half and
 * all is waited, so that sources which failed together do not come back together.
 */
export function retryAt({ failures, interval, now, notBefore, permanent }: Failing, random: Random): number {
  if (notBefore !== undefined && notBefore > now) {
    const earliest = now + Math.min(interval, SHORTEST_RETRY_AFTER);
    return Math.min(Math.max(notBefore, earliest), now + LONGEST_RETRY_AFTER);
  }
  const first = Math.max(interval, SECOND);
  const wait = Math.min(first * (permanent ? 4 : 2) ** Math.max(failures - 1, 0), LONGEST_BACKOFF);
  return now + (wait / 2) * (1 + random());
}
