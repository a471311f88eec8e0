import type { PollReport } from '../../registry/poll-report.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { SyncLog } from '../sync-log.js';

/** Writes one line about a poll. A source that fails in the same way as before is logged at a lower level. */
export function logPoll(
  log: SyncLog,
  before: SourceRecord,
  after: SourceRecord,
  { source, durationMs, added, changed, removed, error }: PollReport,
): void {
  const fields = { kind: source.kind, source: source.url, durationMs, added, changed, removed };
  if (error === undefined) {
    log.info(fields, before.failures ? 'source recovered' : 'source polled');
    return;
  }
  const nextAttempt = after.nextAttempt && new Date(after.nextAttempt).toISOString();
  const failing = { ...fields, error, failures: after.failures, nextAttempt };
  if (before.error === error) log.debug(failing, 'source still fails');
  else log.warn(failing, 'source fails');
}
