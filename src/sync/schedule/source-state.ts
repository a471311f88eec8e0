import type { SourceRecord } from '../../registry/source-record.js';

export interface Attempt {
  /** When the poll began and ended, and when the next one will be, ms since the epoch. */
  readonly began: number;
  readonly ended: number;
  readonly nextAttempt: number;
  /** Why it failed; absent after a success. */
  readonly error?: string | undefined;
  /** What the source wants to find again; what it wanted before is kept when absent. */
  readonly memo?: SourceRecord['memo'] | undefined;
}

/** Failures in a row once this poll is counted. */
export function failuresAfter(before: SourceRecord | undefined, failed: boolean): number {
  return failed ? (before?.failures ?? 0) + 1 : 0;
}

/** What is known of a source after a poll. A success forgets the failures before it. */
export function afterAttempt(before: SourceRecord | undefined, attempt: Attempt): SourceRecord {
  const { began, ended, nextAttempt, error } = attempt;
  const memo = attempt.memo ?? before?.memo;
  const lastSuccess = error === undefined ? ended : before?.lastSuccess;
  return {
    lastAttempt: began,
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
    nextAttempt,
    failures: failuresAfter(before, error !== undefined),
    ...(error === undefined ? {} : { failingSince: before?.failingSince ?? began, error }),
    ...(memo === undefined ? {} : { memo }),
  };
}
