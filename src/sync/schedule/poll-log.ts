import type { PollReport } from '../../registry/poll-report.js';
import type { SourceRecord } from '../../registry/source-record.js';

type Line = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Where the lines go: the methods of pino that are used here. */
export interface SyncLog {
  readonly debug: Line;
  readonly info: Line;
  readonly warn: Line;
}

/** Writes one line about a poll. What has been said before, word for word, is said more quietly. */
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
