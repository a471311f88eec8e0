import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { ChangeCount } from '../../registry/change.js';
import type { PollReport } from '../../registry/poll-report.js';
import type { Registry } from '../../registry/registry.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { SourceRecord, StoredSource } from '../../registry/source-record.js';
import type { Amount, PollFailure, PollProgress, PollResult, SyncSource } from '../sync-source.js';
import { PollTimeout } from '../sync-source.js';
import { afterAttempt, beginReading, failuresAfter, stopReading } from './source-state.js';
import type { StorageQuota } from './storage-quota.js';

/**
 * Longest poll, in ms, its parsing included; what is left is read by the next one. Learned sources hold their slot
 * more briefly: any number of them may be slow on purpose, and they make one another wait.
 */
export const LONGEST_POLL: Readonly<Record<Trust, number>> = { configured: 10 * 60_000, learned: 2 * 60_000 };
/** A poll that has not ended so long after its time was over is given up with all that it has not stored, in ms. */
const GRACE = 30_000;
/** Bytes that a poll parses before the reading of the source is noted on disk: idle polls parse less. */
const NOTED_BYTES = 16_384;

export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly clock: Clock;
  readonly quota: StorageQuota;
  /** When to poll next, given how this poll went and how many have failed in a row. */
  readonly nextAttempt: (failure: PollFailure | undefined, failures: number) => number;
}

/** What a poll came to. */
export interface Polled {
  /** What was remembered of the source before, and is now, also when that could not be stored. */
  readonly before: SourceRecord;
  readonly after: SourceRecord;
  readonly report: PollReport;
}

/**
 * Polls a source once and commits what it found together with its new record. A failing commit is a failed
 * poll: what is stored stays as it was, and the next poll finds the same again.
 * Rejects only when it is stopped, at once whatever the source does; then nothing more is stored.
 */
export async function pollOnce(source: SyncSource, polling: Polling, stop: AbortSignal): Promise<Polled> {
  const stored = await polling.registry.source(source.source);
  stop.throwIfAborted();
  const poll = new Poll(source, stored, polling, stop);
  try {
    return await poll.run();
  } finally {
    await poll.end();
  }
}

class Poll implements PollProgress {
  readonly signal: AbortSignal;
  readonly #source: SyncSource;
  readonly #polling: Polling;
  readonly #stop: AbortSignal;
  readonly #stored: StoredSource | undefined;
  readonly #began: number;
  readonly #timeout = new AbortController();
  /** Aborted when the poll is over: its timers end, and a source that still goes on stores nothing more. */
  readonly #over = new AbortController();
  #counts: ChangeCount = { added: 0, changed: 0, removed: 0 };
  #refused = 0;
  #parsed = 0;
  #noted: Promise<unknown> | undefined;
  #settled = false;
  #changed = false;

  constructor(source: SyncSource, stored: StoredSource | undefined, polling: Polling, stop: AbortSignal) {
    this.#source = source;
    this.#polling = polling;
    this.#stop = stop;
    this.#began = polling.clock.now();
    this.#stored = stored;
    this.signal = AbortSignal.any([stop, this.#timeout.signal]);
  }

  get limit(): Amount {
    return this.#polling.quota.limit(this.#source.source);
  }

  get full(): boolean {
    return this.#polling.quota.isFull(this.#source.source);
  }

  async run(): Promise<Polled> {
    const result = await this.#result();
    try {
      return await this.#commit(result);
    } catch (error) {
      const failure = { message: `What it says could not be stored: ${explain(error)}` };
      const unstored = { documents: [], failure };
      // The record alone may still fit: the status page then tells. If not, the report does.
      const polled = await this.#commit(unstored).catch(() => this.#polled(unstored));
      return { ...polled, report: { ...polled.report, unstored: true } };
    }
  }

  async beforeParsing(bytes: number): Promise<void> {
    this.#parsed += bytes;
    if (this.#source.trust === 'configured' || this.#parsed < NOTED_BYTES) return;
    this.#noted ??= this.#polling.registry.commit({
      source: this.#source.source,
      documents: [],
      record: beginReading,
    });
    await this.#noted;
  }

  async store(documents: readonly DocumentChange[]): Promise<void> {
    this.#over.signal.throwIfAborted();
    this.#stop.throwIfAborted();
    await this.#write(documents, (record) => record);
  }

  /** Nothing of the poll goes on after this, and what it noted on disk is taken back if it was stopped. */
  async end(): Promise<void> {
    this.#over.abort(new Error('The poll is over'));
    const { registry, quota } = this.#polling;
    const { source, trust } = this.#source;
    if (this.#noted && !this.#settled) {
      await this.#noted
        .then(() => registry.commit({ source, documents: [], record: stopReading }))
        // Nothing can be written: the note stays, and the next poll that ends takes it back.
        .catch(() => undefined);
    }
    if (this.#changed) quota.set(source, trust, await registry.source(source));
  }

  /** A source that throws has a fault of its own; the scheduler and the other sources go on. */
  async #result(): Promise<PollResult> {
    const time = LONGEST_POLL[this.#source.trust];
    this.#after(time, () => this.#timeout.abort(new PollTimeout('the poll took too long')));
    try {
      const givenUp = new Promise<never>((_, reject) => {
        this.#stop.addEventListener('abort', () => reject(this.#stop.reason), { signal: this.#over.signal });
        const minutes = Math.round(time / 60_000);
        this.#after(time + GRACE, () => reject(new Error(`it had not ended after ${minutes} minutes`)));
      });
      const result = await Promise.race([this.#source.poll(this.#stored, this), givenUp]);
      this.#stop.throwIfAborted();
      return result;
    } catch (error) {
      this.#stop.throwIfAborted();
      return { documents: [], failure: { message: `The poll broke off: ${explain(error)}` } };
    }
  }

  #after(ms: number, action: () => void): void {
    this.#polling.clock.sleep(ms, this.#over.signal).then(action, () => undefined);
  }

  async #commit(result: PollResult): Promise<Polled> {
    let polled = this.#polled(result);
    await this.#write(result.documents, (record) => {
      polled = this.#polled(result, record);
      return polled.after;
    });
    this.#settled = true;
    return { ...polled, report: { ...polled.report, ...this.#counts } };
  }

  async #write(
    documents: readonly DocumentChange[],
    record: (before: SourceRecord) => SourceRecord,
  ): Promise<void> {
    const { registry, quota } = this.#polling;
    const { source } = this.#source;
    const admitted = quota.admit(source, this.#stored?.documents ?? new Map(), documents);
    this.#refused += admitted.refused;
    this.#changed ||= admitted.documents.length > 0;
    const counts = await registry.commit({ source, documents: admitted.documents, record });
    this.#counts = {
      added: this.#counts.added + counts.added,
      changed: this.#counts.changed + counts.changed,
      removed: this.#counts.removed + counts.removed,
    };
  }

  #polled(
    { failure, remember, unread = 0 }: PollResult,
    before: SourceRecord = this.#stored?.record ?? { failures: 0 },
  ): Polled {
    const { clock, nextAttempt } = this.#polling;
    const ended = clock.now();
    const error = failure?.message;
    const next = nextAttempt(failure, failuresAfter(before, failure !== undefined));
    const attempt = {
      began: this.#began,
      ended,
      nextAttempt: next,
      error,
      permanent: failure?.permanent,
      unread: unread + this.#refused,
    };
    return {
      before,
      after: afterAttempt(before, remember ? { ...attempt, remember } : attempt),
      report: {
        source: this.#source.source,
        ok: !failure,
        ...(error === undefined ? {} : { error }),
        durationMs: ended - this.#began,
        ...this.#counts,
      },
    };
  }
}
