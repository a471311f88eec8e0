import { explain } from '../../lib/faults.js';
import type { Trust } from '../../lib/fetch/hop.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { Amount, PollProgress, PollResult, SyncSource } from '../sync-source.js';
import { PollTimeout } from '../sync-source.js';
import { PollCommit } from './poll-commit.js';
import { PollWriter } from './poll-writer.js';
import type { Polled, Polling } from './polling.js';
import { beginReading, stopReading } from './source-state.js';

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
  readonly #commit: PollCommit;
  /** Characters that the source has parsed so far. */
  #parsed = 0;
  /** Resolves when it is noted on disk that the source is being read. */
  #readingNoted: Promise<unknown> | undefined;
  /** Why something that the source found in the middle of the poll could not be stored. */
  #storeError: unknown;

  constructor(source: SyncSource, stored: StoredSource | undefined, polling: Polling, stop: AbortSignal) {
    this.#source = source;
    this.#polling = polling;
    this.#stop = stop;
    this.#began = polling.clock.now();
    this.#stored = stored;
    this.#writer = new PollWriter({ ...polling, source: source.source, stored });
    const parts = { polling, stored, source: source.source, began: this.#began };
    this.#commit = new PollCommit({ ...parts, writer: this.#writer });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
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
    const { report, ...records } = this.#commit.polled({ documents: [], failure });
    return { ...records, report: { ...report, unstored: true } };
  }

  async run(): Promise<Polled> {
    const time = LONGEST_POLL[this.#source.trust];
    this.#after(time, () => this.#over.abort(new PollTimeout('the poll took too long')));
    const givenUp = this.#givenUp(time);
    let result = await this.#result(() => this.#source.poll(this.#stored, this), givenUp);
    for (;;) {
      if (this.#storeError !== undefined) return this.#commit.unstored(this.#storeError);
      const outcome = await this.#commit.store(result).catch((error) => this.#commit.unstored(error));
      if ('report' in outcome) return outcome;
      const { otherwise } = result;
      const next = otherwise && (await this.#result(() => otherwise(outcome), givenUp));
      if (next) result = next;
      else this.#commit.overrule(outcome);
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
    // A record that was stored after the poll has taken the note back.
    if (this.#readingNoted && !this.#commit.recorded) {
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
