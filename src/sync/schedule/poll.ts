import type { Catalog } from '../../catalog/catalog.js';
import { isSuspicious, pendingAfter, type Shrink } from '../../core/shrink-guard.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import type { PollReport } from '../../explain/poll-report.js';
import { LeaseLost } from '../../keep/faults.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Amount, Objection, PollFailure, PollProgress, PollResult, SyncSource } from '../sync-source.js';
import { PollTimeout } from '../sync-source.js';
import { PollWriter } from './poll-writer.js';
import type { PendingRemovals } from './removals.js';
import { afterAttempt, beginReading, failuresAfter, stopReading } from './source-state.js';
import type { StorageQuota } from './storage-quota.js';

export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly quota: StorageQuota;
  /** When to poll next, given how this poll went and how many have failed in a row. */
  readonly nextAttempt: (failure: PollFailure | undefined, failures: number) => number;
  /** Has an operator accepted that the source has lost most of what it said? */
  readonly acceptsShrink: () => boolean;
}

/** What a poll came to. */
export interface PollOutcome {
  /** What was remembered of the source before, and is now, also when that could not be stored. */
  readonly before: SourceRecord;
  readonly after: SourceRecord;
  readonly report: PollReport;
}

/**
 * Longest poll, in ms, its parsing included; what is left is read by the next one. Learned sources hold their slot
 * more briefly: any number of them may be slow on purpose, and they make one another wait.
 */
export const LONGEST_POLL: Readonly<Record<Trust, number>> = { configured: 10 * 60_000, learned: 2 * 60_000 };
/** A poll that has not ended so long after its time was over is given up with all that it has not stored, in ms. */
const GRACE = 30_000;
/** Characters that a poll parses before the reading of the source is noted on disk: idle polls parse less. */
const NOTED_CHARACTERS = 16_384;
/** One for all polls: a new error for each would take longer than the rest of the end of a poll. */
const ENDED = new Error('The poll has ended');

/**
 * Polls a source once and commits what it found together with its new record. When the registry cannot be read or
 * written, that is a failed poll: what is stored stays as it was, and the next poll finds the same again.
 * Rejects only when it is stopped, at once whatever the source does, or with `LeaseLost`; then nothing more is stored.
 */
export async function pollOnce(
  source: SyncSource,
  polling: Polling,
  stop: AbortSignal,
): Promise<PollOutcome> {
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
  readonly #source: SyncSource;
  readonly #polling: Polling;
  readonly #stop: AbortSignal;
  readonly #stored: StoredSource | undefined;
  readonly #began: number;
  /** Aborted when the poll is stopped, or its time is over. */
  readonly #over = new AbortController();
  /** Aborted at the end of the poll: its timers end, and a source that still goes on stores nothing more. */
  readonly #ended = new AbortController();
  #giveUp: (error: unknown) => void = () => undefined;
  readonly #writer: PollWriter;
  /** Characters that the source has parsed so far. */
  #parsed = 0;
  /** Resolves when it is noted on disk that the source is being read. */
  #readingNoted: Promise<unknown> | undefined;
  /** Why something that the source found in the middle of the poll could not be stored. */
  #storeError: unknown;
  /** Objections to which the source has said that it has nothing else. */
  readonly #overruled = new Set<Objection['reason']>();
  /** Has the record after the poll been stored? It takes back what was noted before. */
  #isRecorded = false;

  constructor(source: SyncSource, stored: StoredSource | undefined, polling: Polling, stop: AbortSignal) {
    this.#source = source;
    this.#polling = polling;
    this.#stop = stop;
    this.#began = polling.clock.now();
    this.#stored = stored;
    this.#writer = new PollWriter({ ...polling, source: source.source, stored });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get limit(): Amount {
    return this.#polling.quota.limit(this.#source.source);
  }

  get room(): Amount {
    return this.#polling.quota.room(this.#source.source);
  }

  get full(): boolean {
    return this.#polling.quota.isFull(this.#source.source);
  }

  /** What comes of a poll for which the registry could not tell what is stored. */
  notBegun(error: unknown): PollOutcome {
    const failure = { message: `What is stored of it could not be read: ${explain(error)}` };
    const { report, ...records } = this.#polled({ documents: [], failure });
    return { ...records, report: { ...report, unstored: true } };
  }

  async run(): Promise<PollOutcome> {
    const time = LONGEST_POLL[this.#source.trust];
    this.#after(time, () => this.#over.abort(new PollTimeout('the poll took too long')));
    const givenUp = this.#givenUp(time);
    let result = await this.#result(() => this.#source.poll(this.#stored, this), givenUp);
    for (;;) {
      if (this.#storeError !== undefined) return this.#unstored(this.#storeError);
      const outcome = await this.#storeResult(result).catch((error) => this.#unstored(error));
      if ('report' in outcome) return outcome;
      const { otherwise } = result;
      const next = otherwise && (await this.#result(() => otherwise(outcome), givenUp));
      if (next) result = next;
      else this.#overruled.add(outcome.reason);
    }
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
    await this.#writer.store(documents).catch((error) => this.#cannotStore(error));
  }

  /** Nothing of the poll goes on after this, and what it noted on disk is taken back if it was stopped. */
  async end(): Promise<void> {
    this.#ended.abort(ENDED);
    this.#stop.removeEventListener('abort', this.#stopped);
    const { registry, quota } = this.#polling;
    const { source, trust } = this.#source;
    if (this.#readingNoted && !this.#isRecorded) {
      await this.#readingNoted
        .then(() => registry.commit({ source, documents: [], record: stopReading }))
        // Nothing can be written: the note stays, and the next poll that ends takes it back.
        .catch(() => undefined);
    }
    if (!this.#writer.changed) return;
    // A registry that cannot be read leaves the quota as it was reckoned; the next poll that ends corrects it.
    await registry.source(source).then(
      (stored) => quota.set(source, trust, stored),
      () => undefined,
    );
  }

  /** Stores a result, unless there is an objection that has not been overruled; then nothing of it is stored. */
  async #storeResult(result: PollResult): Promise<PollOutcome | Objection> {
    const isFinal = (reason: Objection['reason']) => !result.otherwise || this.#overruled.has(reason);
    const pending = this.#polling.acceptsShrink() ? undefined : await this.#pending(result);
    if (pending && !this.#stored?.record.shrink && !isFinal('shrink')) return { reason: 'shrink' };
    let polled: PollOutcome | undefined;
    const record = (current: SourceRecord) => {
      polled = this.#polled(result, current, pending?.shrink);
      return polled.after;
    };
    // What is pending takes the room of what comes: that is read again as long as something is pending.
    const asFarAsPossible = pending !== undefined || isFinal('room');
    const objection = await this.#writer.finish(result, { record, asFarAsPossible, pending });
    if (!objection) return this.#recorded(polled ?? this.#polled(result, undefined, pending?.shrink));
    if (!isFinal(objection.reason)) return objection;
    const failure = { message: 'what it says contradicts itself, and nothing else could be read' };
    return this.#remember({ documents: [], failure });
  }

  /**
   * Stores that nothing which the poll found could be stored. The record alone may fit; if not, the report tells.
   * @throws LeaseLost when it is not for this node to store anything
   */
  async #unstored(error: unknown): Promise<PollOutcome> {
    if (error instanceof LeaseLost) throw error;
    const failure = { message: `What it says could not be stored: ${explain(error)}` };
    const result = { documents: [], failure };
    const { report, ...records } = await this.#remember(result).catch(() => this.#polled(result));
    return { ...records, report: { ...report, unstored: true } };
  }

  /** What a poll comes to. `shrink`: what it would remove is pending. */
  #polled(
    result: PollResult,
    before: SourceRecord = this.#stored?.record ?? { failures: 0 },
    shrink?: Shrink,
  ): PollOutcome {
    const { failure, remember, repairs, unread = 0 } = result;
    const { source } = this.#source;
    const { counts, refused } = this.#writer;
    const [began, ended, error] = [this.#began, this.#polling.clock.now(), failure?.message];
    const nextAttempt = this.#polling.nextAttempt(failure, failuresAfter(before, failure !== undefined));
    const attempt = { began, ended, error, nextAttempt, permanent: failure?.permanent, shrink, remember };
    const held = shrink && { from: shrink.from, to: shrink.to };
    const report = { source, ok: !failure, error, durationMs: ended - began, ...counts, held, repairs };
    return { before, after: afterAttempt(before, { ...attempt, unread: unread + refused }), report };
  }

  /** What is pending of what a poll would remove; nothing when the source has not lost much, or that is believed. */
  async #pending(result: PollResult): Promise<(PendingRemovals & { readonly shrink: Shrink }) | undefined> {
    const before = this.#stored?.record.shrink;
    const loss = await this.#writer.loss(result);
    if (!before && !isSuspicious(loss)) return undefined;
    const found = await this.#writer.removals(result);
    const removals = new Set([...found.values()].flatMap((uris) => [...uris.values()]));
    const isComplete = !result.failure;
    const pending = pendingAfter(before, { ...loss, removals, isComplete, now: this.#polling.clock.now() });
    return pending && { ...pending, found };
  }

  async #remember(result: PollResult): Promise<PollOutcome> {
    let polled: PollOutcome | undefined;
    await this.#writer.remember((record) => {
      polled = this.#polled(result, record);
      return polled.after;
    });
    return this.#recorded(polled ?? this.#polled(result));
  }

  #recorded({ report, ...records }: PollOutcome): PollOutcome {
    this.#isRecorded = true;
    const { counts, unusable } = this.#writer;
    return { ...records, report: { ...report, ...counts, refused: unusable || undefined } };
  }

  #cannotStore(error: unknown): never {
    this.#storeError ??= error;
    throw error;
  }

  /** A source that throws has a fault of its own; the scheduler and the other sources go on. */
  async #result<R extends PollResult | undefined>(
    read: () => Promise<R>,
    givenUp: Promise<never>,
  ): Promise<R | PollResult> {
    try {
      const result = await Promise.race([read(), givenUp]);
      this.#stop.throwIfAborted();
      return result;
    } catch (error) {
      this.#stop.throwIfAborted();
      return { documents: [], failure: { message: `The poll broke off: ${explain(error)}` } };
    }
  }

  /** Rejects when the poll is stopped, or when the source should long have ended. */
  #givenUp(time: number): Promise<never> {
    const givenUp = new Promise<never>((_, reject) => {
      this.#giveUp = reject;
      this.#after(time + GRACE, () =>
        reject(new Error(`it had not ended after ${Math.round(time / 60_000)} minutes`)),
      );
    });
    // Nobody waits for it between two results.
    givenUp.catch(() => undefined);
    this.#stop.addEventListener('abort', this.#stopped);
    return givenUp;
  }

  readonly #stopped = () => {
    this.#over.abort(this.#stop.reason);
    this.#giveUp(this.#stop.reason);
  };

  #after(ms: number, action: () => void): void {
    this.#polling.clock.sleep(ms, this.#ended.signal).then(action, () => undefined);
  }
}
