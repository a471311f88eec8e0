import type { SourceEvent } from '../../explain/node-report.js';
import type { PollOutcome } from '../../explain/poll-report.js';
import type { Clock } from '../../lib/clock.js';
import { counted } from '../../lib/counted.js';
import type { LogTo } from '../../lib/log.js';
import type { Metrics } from './metrics.js';

/** Events of all sources together that are kept, and characters of an event. */
const KEPT = { events: 50, detail: 300 } as const;

interface PollHistoryParts {
  readonly clock: Clock;
  readonly log: LogTo<'debug' | 'info' | 'warn'>;
  readonly metrics: Pick<Metrics, 'polled'>;
}

/** Counts and logs polls, and remembers what they have brought lately, and how sources began or ceased to fail. */
export class PollHistory {
  readonly #events: SourceEvent[] = [];

  constructor(readonly parts: PollHistoryParts) {}

  /** The newest first. */
  get events(): readonly SourceEvent[] {
    return this.#events.toReversed();
  }

  /** To be told of every poll that ended. */
  readonly polled = (outcome: PollOutcome): void => {
    const { clock, log, metrics } = this.parts;
    metrics.polled(outcome.report);
    logPoll(log, outcome);
    const { source } = outcome.report;
    for (const { detail, ...event } of eventsOf(outcome)) {
      this.#events.push({ at: clock.now(), source, ...event, detail: detail.slice(0, KEPT.detail) });
      if (this.#events.length > KEPT.events) this.#events.shift();
    }
  };
}

function* eventsOf({ before, report }: PollOutcome): Generator<Omit<SourceEvent, 'at' | 'source'>> {
  const { ok, error = 'for no known reason', examples, held } = report;
  if (ok && before.failures > 0) yield { what: 'recovered', detail: 'answers again' };
  for (const [what, change] of [
    ['came', 'added'],
    ['changed', 'changed'],
    ['went', 'removed'],
  ] as const) {
    const [count, components] = [report[change], examples[change]];
    const more = count - components.length || undefined;
    if (count > 0) yield { what, detail: counted(count, 'component'), components, more };
  }
  if (held && !before.shrink) {
    const from = held.from.toLocaleString('en');
    yield { what: 'held', detail: `${counted(held.to, 'component')} instead of ${from}` };
  }
  if (!ok && error !== before.error) yield { what: 'failed', detail: error };
}

/**
 * Writes one line about a poll. A poll that finds nothing new, or that fails in the same way as the one
 * before, is logged at `debug`: an idle network would fill the log otherwise.
 */
function logPoll(log: LogTo<'debug' | 'info' | 'warn'>, { before, after, report }: PollOutcome): void {
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
