import type { Shrink } from '../../core/shrink-guard.js';
import type { SourceRecord } from '../../core/source-record.js';
import { backOff } from '../../lib/back-off.js';
import type { Random } from '../../lib/clock.js';
import type { PollResult, Remembered } from '../sync-source.js';

export interface Attempt {
  /** When the poll began and ended, and when the next one will be, ms since the epoch. */
  readonly began: number;
  readonly ended: number;
  readonly nextAttempt: number;
  /** Why it failed; absent after a success. */
  readonly error?: string | undefined;
  readonly permanent?: boolean | undefined;
  /** See `PollResult`. */
  readonly remember?: PollResult['remember'];
  readonly unread?: number | undefined;
  /** What the source has lost, when that is pending. */
  readonly shrink?: Shrink | undefined;
}

/** Failures in a row once this poll is counted. */
export function failuresAfter(before: SourceRecord, failed: boolean): number {
  return failed ? before.failures + 1 : 0;
}

/** The record of a source after a poll that ended. A success clears the failures, and any end the notes of interruptions. */
export function afterAttempt(before: SourceRecord, attempt: Attempt): SourceRecord {
  const { began, ended, nextAttempt, error, permanent, unread = 0 } = attempt;
  const { remember = (record: SourceRecord): Remembered => record } = attempt;
  const { introduced, skipped, refused, following, ...remembered } = remember(before);
  // A poll that could not read everything does not show that nothing is lost.
  const shrink = attempt.shrink ?? (error === undefined ? undefined : before.shrink);
  // The next poll begins where this one began as long as removals are pending: so it finds out whether they still are.
  const { memo } = shrink ? before : remembered;
  const lastSuccess = error === undefined ? ended : before.lastSuccess;
  return {
    lastAttempt: began,
    firstSuccess: before.firstSuccess ?? before.lastSuccess ?? lastSuccess,
    lastSuccess,
    nextAttempt,
    failures: failuresAfter(before, error !== undefined),
    failingSince: error === undefined ? undefined : (before.failingSince ?? began),
    error,
    permanent: permanent || undefined,
    unread: unread || undefined,
    introduced,
    skipped,
    refused,
    following,
    shrink,
    memo,
  };
}

/** Interruptions in a row after which a source is paused. One may be a restart that the source has no part in. */
const TOLERATED = 1;
const HOUR = 3_600_000;
/** For how long a source is paused after another interruption, in ms. */
export const LONGEST_PAUSE = 24 * HOUR;
const HOLDS = { first: 2 * HOUR, longest: LONGEST_PAUSE };

/** A poll begins to parse what the source has sent: should the process die of it, that is found at the next start. */
export function beginReading({ heldUntil: _, ...record }: SourceRecord): SourceRecord {
  return { ...record, unfinished: (record.unfinished ?? 0) + 1 };
}

/** The poll was stopped, and the process did not die of it. */
export function stopReading({ unfinished = 0, ...record }: SourceRecord): SourceRecord {
  return unfinished > 1 ? { ...record, unfinished: unfinished - 1 } : record;
}

/** Has the process died while the source was read the last time? */
export function isSuspect(record: SourceRecord | undefined): boolean {
  return (record?.unfinished ?? 0) > 0;
}

/**
 * What becomes of a record at the start of the process: a source during whose reading the process has died twice in
 * a row is paused for one to two hours, and for twice as long after each further time, up to a day.
 */
export function afterRestart(record: SourceRecord, now: number, random: Random): SourceRecord {
  const { unfinished = 0, heldUntil } = record;
  if (unfinished <= TOLERATED || heldUntil !== undefined) return record;
  const until = now + backOff(unfinished - TOLERATED, HOLDS, random);
  return { ...record, heldUntil: until, nextAttempt: until };
}
