import type { Catalog } from '../catalog/catalog.js';
import { sizeOf } from '../component/component-size.js';
import type { Source } from '../component/source.js';
import type { DocumentChange } from '../core/document-change.js';
import { Judge, type Verdict } from '../core/judge.js';
import { amountOfAll } from '../core/limits.js';
import { type PollEnd, recordAfter } from '../core/poll-end.js';
import type { Amount, Batch, DocumentReading, ReadFailure } from '../core/reading.js';
import { DigestMismatch } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { PeerGraph, PeerRules } from '../core/take.js';
import type { PollReport } from '../explain/poll-report.js';
import { LeaseLost } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { Pace } from '../lib/pace.js';
import { NO_CHANGE, sumOfCounts } from '../registry/change.js';
import type { Registry } from '../registry/registry.js';
import type { Room } from './room.js';
import { sayingsOf } from './sayings.js';
import { PollTimeout, type SourceReader } from './source-reader.js';

export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  /** What is stored is looked up there. */
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly room: Room;
  /** What is taken of a source, as of now; absent where it speaks for all that it has. */
  readonly rules: (source: Source) => PeerRules | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  /** Is all of the source read, whatever is remembered of it? */
  readonly readsAnew?: boolean;
  /** When the source is polled next, given how this poll went. */
  readonly plan: (failure: ReadFailure | undefined, disagrees: boolean) => number;
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
/** A reader that has not ended so long after its time was over is given up, with all that it has not yielded, in ms. */
const GRACE = 30_000;
/** Changes of one commit: a smaller poll is atomic. */
const MOST_CHANGES = 10_000;
const NOT_KNOWN: SourceRecord = { failures: 0 };

/**
 * Polls a source once: reads it, decides what becomes of what was read, and commits that with the source's new record. When
 * the registry cannot be read or written, that is a failed poll: what is stored stays as it was, and the next poll finds the
 * same again. Rejects only when it is stopped, at once whatever the source does, or with `LeaseLost`; then nothing more is stored.
 */
export async function pollOnce(
  reader: SourceReader,
  polling: Polling,
  stop: AbortSignal,
): Promise<PollOutcome> {
  const began = polling.clock.now();
  let stored: StoredSource | undefined;
  try {
    stored = await polling.registry.source(reader.source);
    if (stored && polling.readsAnew) stored = { ...stored, record: withoutCursor(stored.record) };
  } catch (error) {
    stop.throwIfAborted();
    const failure = { message: `What is stored of it could not be read: ${explain(error)}` };
    return new Poll(reader, undefined, polling, began).unstored(failure);
  }
  stop.throwIfAborted();
  return new Poll(reader, stored, polling, began).run(stop);
}

class Poll {
  readonly #reader: SourceReader;
  readonly #stored: StoredSource | undefined;
  readonly #polling: Polling;
  readonly #began: number;
  readonly #judge: Judge;
  /** What was read and is not decided yet. */
  #put: DocumentReading[] = [];
  #counts = NO_CHANGE;

  constructor(reader: SourceReader, stored: StoredSource | undefined, polling: Polling, began: number) {
    this.#reader = reader;
    this.#stored = stored;
    this.#polling = polling;
    this.#began = began;
    const { rules, acceptsShrink, catalog, pace } = polling;
    const { source } = reader;
    const breathe = pace();
    const sayings = sayingsOf(source, catalog, breathe);
    this.#judge = new Judge({ stored, rules: rules(source), acceptsShrink, sayings, breathe });
  }

  async run(stop: AbortSignal): Promise<PollOutcome> {
    const ended = new AbortController();
    try {
      const last = await this.#read(stop, ended.signal);
      stop.throwIfAborted();
      return await this.#end(last);
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof LeaseLost) throw error;
      await this.#forgetDecisions();
      const failure = { message: `What it says could not be stored: ${explain(error)}` };
      return this.#recorded({ failure }).catch(() => this.unstored(failure));
    } finally {
      ended.abort(ENDED);
    }
  }

  /** What comes of a poll of which nothing could be stored. */
  unstored(failure: ReadFailure): PollOutcome {
    const before = this.#stored?.record ?? NOT_KNOWN;
    const outcome = this.#outcome(before, recordAfter(before, this.#pollEnd({ failure })), { failure });
    return { ...outcome, report: { ...outcome.report, unstored: true } };
  }

  /** Reads to the last batch, and commits on the way what is more than one commit. Rejects when that cannot be stored. */
  async #read(stop: AbortSignal, ended: AbortSignal): Promise<Batch> {
    const { room } = this.#polling;
    const { source, trust } = this.#reader;
    const over = new AbortController();
    const givenUp = new AbortController();
    void endInTime(this.#polling.clock, LONGEST_POLL[trust], ended, over, givenUp);
    const signal = AbortSignal.any([stop, over.signal]);
    const limits = { ...room.limits(source), isWanted: (graph: PeerGraph) => this.#judge.isWanted(graph) };
    const batches = this.#reader.read(this.#stored, limits, signal)[Symbol.asyncIterator]();
    const until = AbortSignal.any([stop, givenUp.signal]);
    // More text than is kept of the source need not be held until the end.
    const most = { changes: MOST_CHANGES, bytes: limits.most.bytes };
    let held = { changes: 0, bytes: 0 };
    try {
      for (;;) {
        const batch = await this.#next(batches, until);
        stop.throwIfAborted();
        const more = sizeOfAll(batch.put);
        const isMany = held.changes + more.changes > most.changes || held.bytes + more.bytes > most.bytes;
        if (isMany && this.#put.length > 0) {
          await this.#storePart();
          held = { changes: 0, bytes: 0 };
        }
        this.#put.push(...batch.put);
        held = { changes: held.changes + more.changes, bytes: held.bytes + more.bytes };
        if (batch.isLast) return batch;
      }
    } finally {
      // What the reader holds is let go; one that does not mind being stopped is not waited for.
      batches.return?.().catch(() => undefined);
    }
  }

  /** A reader that throws has a fault of its own; the scheduler and the other sources go on. */
  async #next(batches: AsyncIterator<Batch>, until: AbortSignal): Promise<Batch> {
    try {
      const next = await beforeAbort(batches.next(), until);
      if (!next.done) return next.value;
      return { ...NOTHING_READ, failure: { message: 'The poll broke off: it has no end' } };
    } catch (error) {
      return { ...NOTHING_READ, failure: { message: `The poll broke off: ${explain(error)}` } };
    }
  }

  async #storePart(): Promise<void> {
    const put = this.#put;
    this.#put = [];
    const documents = await this.#decide((judge, limit) => judge.more(put, limit));
    if (documents.length > 0) await this.#commit(documents, { record: (record) => record });
  }

  async #end(last: Batch): Promise<PollOutcome> {
    const { clock } = this.#polling;
    const batch = { ...last, put: this.#put };
    const verdict = await this.#decide((judge, limit) => judge.end(batch, limit, clock.now()));
    try {
      return await this.#recorded({ failure: last.failure, memo: last.memo, verdict }, verdict);
    } catch (error) {
      if (!(error instanceof DigestMismatch)) throw error;
      await this.#forgetDecisions();
      const { documents, dropped } = verdict;
      const failure = {
        message: `what it says does not lead to the digests that it tells (${shown(error.differing)})`,
      };
      return this.#recorded(
        { failure, disagrees: true },
        { documents: documents.filter(({ url }) => dropped.has(url)) },
      );
    }
  }

  /** What is decided takes its room at once, before it is stored. */
  #decide<T>(decide: (judge: Judge, limit: Amount) => Promise<T>): Promise<T> {
    const { room } = this.#polling;
    const { source, trust } = this.#reader;
    return room.decide(async () => {
      const decided = await decide(this.#judge, room.limit(source));
      room.set(source, trust, this.#judge.amount);
      return decided;
    });
  }

  /** Nothing of what was decided last is stored. A registry that cannot be read leaves the room as it was reckoned. */
  async #forgetDecisions(): Promise<void> {
    const { registry, room } = this.#polling;
    const { source, trust } = this.#reader;
    const stored = await registry.source(source).catch(() => this.#stored);
    room.set(source, trust, amountOfAll(stored?.documents ?? new Map()));
  }

  async #commit(
    documents: readonly DocumentChange[],
    change: Pick<Parameters<Registry['commit']>[0], 'record' | 'expected'>,
  ): Promise<void> {
    const counts = await this.#polling.registry.commit({ source: this.#reader.source, documents, ...change });
    this.#counts = sumOfCounts([this.#counts, counts]);
  }

  /** Commits how the poll ended. */
  async #recorded(
    end: Omit<PollEnd, 'began' | 'ended' | 'nextAttempt'>,
    { documents, expected }: Partial<Verdict> = {},
  ): Promise<PollOutcome> {
    const polled = this.#pollEnd(end);
    let records: Pick<PollOutcome, 'before' | 'after'> | undefined;
    const record = (before: SourceRecord) => {
      const known = this.#polling.readsAnew ? withoutCursor(before) : before;
      records = { before, after: recordAfter(known, polled) };
      return records.after;
    };
    await this.#commit(documents ?? [], { record, expected });
    const { before, after } = records ?? { before: NOT_KNOWN, after: recordAfter(NOT_KNOWN, polled) };
    return this.#outcome(before, after, end);
  }

  #pollEnd(end: Omit<PollEnd, 'began' | 'ended' | 'nextAttempt'>): PollEnd {
    const { clock, plan } = this.#polling;
    const nextAttempt = plan(end.failure, end.disagrees ?? false);
    return { ...end, began: this.#began, ended: clock.now(), nextAttempt };
  }

  #outcome(
    before: SourceRecord,
    after: SourceRecord,
    { failure, verdict, disagrees }: Pick<PollEnd, 'failure' | 'verdict' | 'disagrees'>,
  ): PollOutcome {
    const { shrink } = verdict ?? {};
    const report: PollReport = {
      source: this.#reader.source,
      ok: !failure,
      error: failure?.message,
      durationMs: this.#polling.clock.now() - this.#began,
      ...this.#counts,
      held: shrink && { from: shrink.from, to: shrink.to },
      repairs: disagrees ? 1 : undefined,
    };
    return { before, after, report };
  }
}

const ENDED = new Error('The poll has ended');
const NOTHING_READ: Batch = { put: [], gone: [], isLast: true, complete: false };

function withoutCursor({ memo: _, ...record }: SourceRecord): SourceRecord {
  return record;
}

/** Ends a poll that takes too long, and gives it up when it does not mind. */
async function endInTime(
  clock: Clock,
  longest: number,
  ended: AbortSignal,
  over: AbortController,
  givenUp: AbortController,
): Promise<void> {
  try {
    await clock.sleep(longest, ended);
    over.abort(new PollTimeout('the poll took too long'));
    await clock.sleep(GRACE, ended);
    givenUp.abort(new Error(`it had not ended after ${Math.round(longest / 60_000)} minutes`));
  } catch {
    // The poll has ended in time.
  }
}

/** @throws the reason of the signal as soon as it is aborted */
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Changes, and bytes of what readings say and of what is told of descriptions that cannot be used. */
function sizeOfAll(put: readonly DocumentReading[]): { readonly changes: number; readonly bytes: number } {
  let [changes, bytes] = [0, 0];
  for (const { url, components, amend, record } of put) {
    const said = components ?? amend?.put ?? [];
    changes += said.length + (amend?.remove?.length ?? 0);
    bytes += url.length;
    for (const component of said) bytes += sizeOf(component);
    for (const { subject, reasons } of record.invalid ?? []) bytes += [subject, ...reasons].join('').length;
  }
  return { changes, bytes };
}

/** Some of the sources, for people. */
function shown(sources: readonly string[]): string {
  const more = sources.length > 3 ? `, and ${sources.length - 3} more` : '';
  return sources.slice(0, 3).join(', ') + more;
}
