import type { Clock } from '../../lib/clock.js';
import type { PollReport } from '../../registry/poll-report.js';
import type { Lease, SharedPolls } from '../../registry/shared-polls.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { PlannedSource } from './planned-source.js';

/** When it is tried again to poll a source that another node is polling, in ms. */
export const TURN_RETRY = 1_000;

/** Whose turn it is: this node's (with a lease, where there are others), or another node's; or it has been polled already. */
export type Turn = { readonly lease?: Lease } | 'elsewhere' | 'polled';

/** Takes a source that is due for a poll. */
export async function takeTurn(
  entry: PlannedSource,
  { shared, clock }: { readonly shared?: SharedPolls | undefined; readonly clock: Clock },
): Promise<Turn> {
  if (!shared) return {};
  const lease = await shared.take(entry.source.source);
  if (!lease) {
    entry.nextAttempt = clock.now() + TURN_RETRY;
    return 'elsewhere';
  }
  const { record } = lease;
  const isPlanned = entry.asked > 0 || (record?.nextAttempt ?? 0) > clock.now();
  if (!record || !isPlanned || !isNews(entry, record)) return { lease };
  await lease.release();
  adopt(entry, record);
  return 'polled';
}

/** Another node has polled the source: its next time is the one that is stored, unless something was asked for since. */
export function adopt(entry: PlannedSource, record: SourceRecord): void {
  if (!isNews(entry, record)) return;
  const { lastAttempt: known = 0, nextAttempt = 0, failures, heldUntil } = record;
  Object.assign(entry, { known, nextAttempt, heldUntil, failing: failures > 0, suspect: false, asked: 0 });
}

/** Has somebody polled the source since the last poll that this node knows of, and since it was asked for? */
function isNews({ known, asked }: PlannedSource, { lastAttempt = 0 }: SourceRecord): boolean {
  return lastAttempt > known && lastAttempt >= asked;
}

/** The report of a source that another node polls, or has polled. */
export function polledElsewhere({ source: { source } }: PlannedSource): PollReport {
  return { source, ok: true, durationMs: 0, added: 0, changed: 0, removed: 0 };
}
