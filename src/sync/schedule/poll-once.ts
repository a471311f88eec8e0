import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { ChangeCount } from '../../registry/change.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { Registry } from '../../store/disk/disk-registry.js';
import type { PollFailure, PollReport, PollResult, SyncSource } from '../sync-source.js';
import { afterAttempt } from './source-state.js';

const NOTHING: ChangeCount = { added: 0, changed: 0, removed: 0 };

export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly clock: Clock;
  /** When to poll next, given how this poll went. */
  readonly nextAttempt: (failure: PollFailure | undefined) => number;
}

/** What is known of the source now, also when it could not be stored. */
export interface Polled {
  readonly record: SourceRecord;
  readonly report: PollReport;
}

/**
 * Polls a source once and commits what it found together with its new record. A failing commit is a failed
 * poll: what is stored stays as it was, and the next poll finds the same again.
 * Rejects only when the signal is aborted, and then nothing has been stored.
 */
export async function pollOnce(
  syncSource: SyncSource,
  before: SourceRecord | undefined,
  polling: Polling,
  signal: AbortSignal,
): Promise<Polled> {
  const { source } = syncSource;
  const { registry, clock } = polling;
  const began = clock.now();
  const result = await resultOf(syncSource, registry.source(source), signal);

  const polled = (
    failure: PollFailure | undefined,
    counts: ChangeCount,
    memo?: PollResult['memo'],
  ): Polled => {
    const ended = clock.now();
    const error = failure?.message;
    const nextAttempt = polling.nextAttempt(failure);
    return {
      record: afterAttempt(before, { began, ended, nextAttempt, error, memo }),
      report: {
        source,
        ok: !failure,
        ...(failure ? { error: failure.message } : {}),
        durationMs: ended - began,
        ...counts,
      },
    };
  };

  const found = polled(result.failure, NOTHING, result.memo);
  try {
    const counts = await registry.commit({ source, documents: result.documents, record: found.record });
    return { ...found, report: { ...found.report, ...counts } };
  } catch (error) {
    const unstored = polled({ message: `What it says could not be stored: ${explain(error)}` }, NOTHING);
    // The record alone may still fit: the status page then tells. If not, the report does.
    await registry.commit({ source, documents: [], record: unstored.record }).catch(() => undefined);
    return { ...unstored, report: { ...unstored.report, unstored: true } };
  }
}

/** A source that throws has a fault of its own; the scheduler and the other sources go on. */
async function resultOf(
  source: SyncSource,
  stored: Parameters<SyncSource['poll']>[0],
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    const result = await source.poll(stored, signal);
    signal.throwIfAborted();
    return result;
  } catch (error) {
    signal.throwIfAborted();
    return { documents: [], failure: { message: `The poll broke off: ${explain(error)}` } };
  }
}
