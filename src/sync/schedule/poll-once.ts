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
import { newlyRefused } from './newly-refused.js';
import { afterAttempt, beginReading, failuresAfter, stopReading } from './source-state.js';
import type { StorageQuota } from './storage-quota.js';

/**
 * Longest poll, in ms, its parsing included; what is left is read by the next one. Learned sources hold their slot
 * more briefly: any number of them may be slow on purpose, and they make one another wait.
 */
export const LONGEST_POLL: Readonly<Record<Trust, number>> = { configured: 10 * 60_000, learned: 2 * 60_000 };
/** A poll that has not ended so long after its time was over is given up with all that it has not stored, in ms. */
const GRACE = 30_000;
/** Characters that a poll parses before the reading of the source is noted on disk: idle polls parse less. */
const NOTED_CHARACTERS = 16_384;

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
 * Polls a source once and commits what it found together with its new record. When the registry cannot be read or
 * written, that is a failed poll: what is stored stays as it was, and the next poll finds the same again.
 * Rejects only when it is stopped, at once whatever the source does; then nothing more is stored.
 */
export async function pollOnce(source: SyncSource, polling: Polling, stop: AbortSignal): Promise<Polled> {
  let stored: StoredSource | undefined;
  try {
    stored = await polling.registry.source(source.source);
  } catch (error) {
    stop.throwIfAborted();
    return new Poll(source, undefined, polling, stop).notBegun(error);
  }
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
  /** Aborted at the end of the poll: its timers end, and a source that still goes on stores nothing more. */
  readonly #ended = new AbortController();
  #counts: ChangeCount = { added: 0, changed: 0, removed: 0 };
  /** Documents that there was no room for. */
  #refused = 0;
  /** Descriptions and documents that cannot be used. */
  #unusable = 0;
  /** Characters that the source has parsed so far. */
  #parsed = 0;
  /** Resolves when it is noted on disk that the source is being read. */
  #readingNoted: Promise<unknown> | undefined;
  /** Has the record after the poll been stored? That also takes back the note. */
  #recorded = false;
  /** Has anything been handed to the registry that moves the quota? */
  #changed = false;
  /** Why something that the source found in the middle of the poll could not be stored. */
  #storeError: unknown;

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

  /** What comes of a poll for which the registry could not tell what is stored. */
  notBegun(error: unknown): Polled {
    const failure = { message: `What is stored of it could not be read: ${explain(error)}` };
    const polled = this.#polled({ documents: [], failure });
    return { ...polled, report: { ...polled.report, unstored: true } };
  }

  async run(): Promise<Polled> {
    const result = await this.#result();
    if (this.#storeError !== undefined) return this.#unstored(this.#storeError);
    return this.#commit(result).catch((error) => this.#unstored(error));
  }

  async beforeParsing(characters: number): Promise<void> {
    this.#parsed += characters;
    if (this.#source.trust === 'configured' || this.#parsed < NOTED_CHARACTERS) return;
    const { source } = this.#source;
    this.#readingNoted ??= this.#polling.registry.commit({ source, documents: [], record: beginReading });
    await this.#readingNoted.catch((error) => this.#cannotStore(error));
  }

  async store(documents: readonly DocumentChange[]): Promise<void> {
    this.#ended.signal.throwIfAborted();
    this.#stop.throwIfAborted();
    await this.#write(documents, (record) => record).catch((error) => this.#cannotStore(error));
  }

  /** Nothing of the poll goes on after this, and what it noted on disk is taken back if it was stopped. */
  async end(): Promise<void> {
    this.#ended.abort(new Error('The poll has ended'));
    const { registry, quota } = this.#polling;
    const { source, trust } = this.#source;
    if (this.#readingNoted && !this.#recorded) {
      await this.#readingNoted
        .then(() => registry.commit({ source, documents: [], record: stopReading }))
        // Nothing can be written: the note stays, and the next poll that ends takes it back.
        .catch(() => undefined);
    }
    if (!this.#changed) return;
    // A registry that cannot be read leaves the quota as it was reckoned; the next poll that ends corrects it.
    await registry.source(source).then(
      (stored) => quota.set(source, trust, stored),
      () => undefined,
    );
  }

  #cannotStore(error: unknown): never {
    this.#storeError ??= error;
    throw error;
  }

  async #unstored(error: unknown): Promise<Polled> {
    const failure = { message: `What it says could not be stored: ${explain(error)}` };
    const result = { documents: [], failure };
    // The record alone may still fit: the status page then tells. If not, the report does.
    const polled = await this.#commit(result).catch(() => this.#polled(result));
    return { ...polled, report: { ...polled.report, unstored: true } };
  }

  /** A source that throws has a fault of its own; the scheduler and the other sources go on. */
  async #result(): Promise<PollResult> {
    const time = LONGEST_POLL[this.#source.trust];
    this.#after(time, () => this.#timeout.abort(new PollTimeout('the poll took too long')));
    try {
      const givenUp = new Promise<never>((_, reject) => {
        this.#stop.addEventListener('abort', () => reject(this.#stop.reason), { signal: this.#ended.signal });
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
    this.#polling.clock.sleep(ms, this.#ended.signal).then(action, () => undefined);
  }

  async #commit(result: PollResult): Promise<Polled> {
    let polled = this.#polled(result);
    await this.#write(result.documents, (record) => {
      polled = this.#polled(result, record);
      return polled.after;
    });
    this.#recorded = true;
    const refused = this.#unusable > 0 ? { refused: this.#unusable } : {};
    return { ...polled, report: { ...polled.report, ...this.#counts, ...refused } };
  }

  async #write(
    documents: readonly DocumentChange[],
    record: (before: SourceRecord) => SourceRecord,
  ): Promise<void> {
    const { registry, quota } = this.#polling;
    const { source } = this.#source;
    const admitted = quota.admit(source, this.#stored?.documents ?? new Map(), documents);
    this.#refused += admitted.refused;
    this.#unusable += newlyRefused(this.#stored?.documents, admitted.documents);
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
