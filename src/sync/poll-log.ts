import type { LogTo } from '../lib/log.js';
import type { PollOutcome } from './poll.js';

/**
 * Writes one line about a poll. A poll that finds nothing new, or that fails in the same way as the one
 * before, is logged at `debug`: an idle network would fill the log otherwise.
 */
export function logPoll(log: LogTo<'debug' | 'info' | 'warn'>, { before, after, report }: PollOutcome): void {
  const { source, durationMs, added, changed, removed, error, held } = report;
  const fields = { kind: source.kind, source: source.url, durationMs, added, changed, removed };
  if (held && !before.shrink) log.warn({ ...fields, ...held }, 'source has lost most of what it said; held');
  if (error === undefined) {
    const isNews = before.lastSuccess === undefined || added + changed + removed > 0;
    if (before.failures > 0) log.info(fields, 'source recovered');
    else log[isNews ? 'info' : 'debug'](fields, 'source polled');
    return;
  }
  const nextAttempt = after.nextAttempt && new Date(after.nextAttempt).toISOString();
  const failing = { ...fields, error, failures: after.failures, nextAttempt };
  if (before.error === error) log.debug(failing, 'source still fails');
  else log.warn(failing, 'source fails');
}
