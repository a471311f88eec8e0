import type { Plan } from './due.js';
import type { Verdict } from './judge.js';
import { unreliableAfter } from './pod-roles.js';
import type { Batch } from './reading.js';
import type { SourceRecord } from './source-record.js';

/** How a poll ended. Times are ms since the epoch. */
export interface PollEnd extends Pick<Batch, 'failure' | 'disagrees' | 'memo'> {
  readonly began: number;
  readonly ended: number;
  readonly planned: Pick<Plan, 'due' | 'notBefore'>;
  /** Absent when nothing that was read is stored. */
  readonly verdict?: Verdict | undefined;
}

/** What is remembered of a source after a poll. A success clears the failures. */
export function recordAfter(before: SourceRecord, end: PollEnd): SourceRecord {
  const { began, ended, planned, failure, disagrees, verdict } = end;
  const { introduced, following, memo } = end.memo ?? before;
  const shrink = verdict?.shrink ?? (failure ? before.shrink : undefined);
  const lastSuccess = failure ? before.lastSuccess : ended;
  const failures = failure ? before.failures + 1 : 0;
  return {
    lastAttempt: began,
    firstSuccess: before.firstSuccess ?? lastSuccess,
    lastSuccess,
    nextAttempt: planned.due,
    notBefore: planned.notBefore || undefined,
    failures,
    unreliableAt: unreliableAfter({ ...before, failures }, ended),
    failingSince: failure ? (before.failingSince ?? began) : undefined,
    error: failure?.message,
    disagrees: disagrees || undefined,
    unread: verdict?.unread || undefined,
    introduced,
    refused: verdict ? verdict.refused : before.refused,
    following,
    shrink,
    // What disagrees is read again whole. As long as removals are pending, the next poll begins where this
    // one began: so it finds out whether they still are.
    memo: disagrees ? undefined : shrink ? before.memo : memo,
  };
}
