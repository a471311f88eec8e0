import type { Catalog } from '../catalog/catalog.js';
import { sizeOf } from '../component/component-size.js';
import { type Source, sameSource } from '../component/source.js';
import type { DocumentChange } from '../core/document-change.js';
import { Judge, type Sayings, type Verdict } from '../core/judge.js';
import { amountOfAll, difference } from '../core/limits.js';
import { type PollEnd, recordAfter } from '../core/poll-end.js';
import type { Amount, Batch, DocumentReading, ReadFailure, ReadLimits } from '../core/reading.js';
import { DigestMismatch } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { PeerRules } from '../core/take.js';
import type { PollReport } from '../explain/poll-report.js';
import { LeaseLost } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { Breather, Pace } from '../lib/pace.js';
import { NO_CHANGE, sumOfCounts } from '../registry/change.js';
import type { Registry } from '../registry/registry.js';
import type { SourceChange } from '../registry/source-change.js';
import type { Room } from './room.js';
import { PollTimeout, type SourceReader } from './source-reader.js';

export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  /** What is stored is looked up there. */
  readonly catalog: Pick<Catalog, 'statements' | 'said'>;
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
const LONGEST_POLL: Readonly<Record<Trust, number>> = { configured: 10 * 60_000, learned: 2 * 60_000 };
/** Changes of one commit: a smaller poll is atomic. */
const MOST_CHANGES = 10_000;
const NOT_KNOWN: SourceRecord = { failures: 0 };

/**
 * Polls a source once: reads it, decides what becomes of what was read, and commits that with the source's new record. When
 * the registry cannot be read or written, that is a failed poll: what is stored stays as it was, and the next poll finds the
 * same again. Rejects only when it is stopped, or with `LeaseLost`; then nothing more is stored.
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

/** How a poll ended, but for its times. */
type End = Omit<PollEnd, 'began' | 'ended' | 'nextAttempt'>;

class Poll {
  readonly #judge: Judge;
  #counts = NO_CHANGE;

  constructor(
    readonly reader: SourceReader,
    readonly stored: StoredSource | undefined,
    readonly polling: Polling,
    readonly began: number,
  ) {
    const { rules, acceptsShrink, catalog, pace } = polling;
    const breathe = pace();
    const sayings = sayingsOf(reader.source, catalog, breathe);
    this.#judge = new Judge({ stored, rules: rules(reader.source), acceptsShrink, sayings, breathe });
  }

  async run(stop: AbortSignal): Promise<PollOutcome> {
    const { clock } = this.polling;
    const [over, ended] = [new AbortController(), new AbortController()];
    const timeout = () => over.abort(new PollTimeout('the poll took too long'));
    clock.sleep(LONGEST_POLL[this.reader.trust], ended.signal).then(timeout, () => undefined);
    try {
      const last = await this.#read(AbortSignal.any([stop, over.signal]), stop);
      return await this.#end(last);
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof LeaseLost) throw error;
      await this.#forgetDecisions();
      const failure = { message: `What it says could not be stored: ${explain(error)}` };
      return this.#recorded({ failure }).catch(() => this.unstored(failure));
    } finally {
      ended.abort(new Error('The poll has ended'));
    }
  }

  /** What comes of a poll of which nothing could be stored. */
  unstored(failure: ReadFailure): PollOutcome {
    const before = this.stored?.record ?? NOT_KNOWN;
    const outcome = this.#outcome(before, recordAfter(before, this.#pollEnd({ failure })), { failure });
    return { ...outcome, report: { ...outcome.report, unstored: true } };
  }

  /**
   * Reads to the last batch, and commits on the way what is more than one commit, or more text than is kept of the source.
   * @returns the last batch, with all that is not decided yet
   */
  async #read(signal: AbortSignal, stop: AbortSignal): Promise<Batch> {
    const most = this.polling.room.limit(this.reader.source);
    const room = difference(most, this.#judge.amount);
    const limits: ReadLimits = { most, room, isWanted: (graph) => this.#judge.isWanted(graph) };
    let put: DocumentReading[] = [];
    let [changes, bytes] = [0, 0];
    for await (const batch of batchesOf(this.reader.read(this.stored, limits, signal))) {
      stop.throwIfAborted();
      const more = sizeOfAll(batch.put);
      const isMany = changes + more.changes > MOST_CHANGES || bytes + more.bytes > most.bytes;
      if (isMany && put.length > 0) {
        await this.#storePart(put);
        put = [];
        [changes, bytes] = [0, 0];
      }
      put.push(...batch.put);
      changes += more.changes;
      bytes += more.bytes;
      if (batch.isLast) return { ...batch, put };
    }
    throw new Error('A reading ends with its last batch');
  }

  async #storePart(put: readonly DocumentReading[]): Promise<void> {
    const documents = await this.#decide((judge, limit) => judge.more(put, limit));
    if (documents.length > 0) await this.#commit(documents, { record: (record) => record });
  }

  async #end({ failure, memo, ...last }: Batch): Promise<PollOutcome> {
    const now = this.polling.clock.now();
    const verdict = await this.#decide((judge, limit) => judge.end({ ...last, failure, memo }, limit, now));
    try {
      return await this.#recorded({ failure, memo, verdict }, verdict);
    } catch (error) {
      if (!(error instanceof DigestMismatch)) throw error;
      await this.#forgetDecisions();
      const some = error.differing.slice(0, 3).join(', ');
      const mismatch = { message: `what it says does not lead to the digests that it tells (${some})` };
      const dropped = verdict.documents.filter(({ url }) => verdict.dropped.has(url));
      return this.#recorded({ failure: mismatch, disagrees: true }, { documents: dropped });
    }
  }

  /** What is decided takes its room at once, before it is stored. */
  #decide<T>(decide: (judge: Judge, limit: Amount) => Promise<T>): Promise<T> {
    const { room } = this.polling;
    const { source, trust } = this.reader;
    return room.decide(async () => {
      const decided = await decide(this.#judge, room.limit(source));
      room.set(source, trust, this.#judge.amount);
      return decided;
    });
  }

  /** Nothing of what was decided last is stored. A registry that cannot be read leaves the room as it was reckoned. */
  async #forgetDecisions(): Promise<void> {
    const { registry, room } = this.polling;
    const { source, trust } = this.reader;
    const stored = await registry.source(source).catch(() => this.stored);
    room.set(source, trust, amountOfAll(stored?.documents ?? new Map()));
  }

  async #commit(
    documents: readonly DocumentChange[],
    change: Pick<SourceChange, 'record' | 'expected'>,
  ): Promise<void> {
    const counts = await this.polling.registry.commit({ source: this.reader.source, documents, ...change });
    this.#counts = sumOfCounts(this.#counts, counts);
  }

  /** Commits how the poll ended. */
  async #recorded(end: End, { documents = [], expected }: Partial<Verdict> = {}): Promise<PollOutcome> {
    const polled = this.#pollEnd(end);
    let records = { before: NOT_KNOWN, after: NOT_KNOWN };
    const record = (before: SourceRecord) => {
      const known = this.polling.readsAnew ? withoutCursor(before) : before;
      records = { before, after: recordAfter(known, polled) };
      return records.after;
    };
    await this.#commit(documents, { record, expected });
    return this.#outcome(records.before, records.after, end);
  }

  #pollEnd(end: End): PollEnd {
    const { clock, plan } = this.polling;
    const nextAttempt = plan(end.failure, end.disagrees ?? false);
    return { ...end, began: this.began, ended: clock.now(), nextAttempt };
  }

  #outcome(before: SourceRecord, after: SourceRecord, { failure, verdict, disagrees }: End): PollOutcome {
    const { shrink } = verdict ?? {};
    const report: PollReport = {
      source: this.reader.source,
      ok: !failure,
      error: failure?.message,
      durationMs: this.polling.clock.now() - this.began,
      ...this.#counts,
      held: shrink && { from: shrink.from, to: shrink.to },
      repairs: disagrees ? 1 : undefined,
    };
    return { before, after, report };
  }
}

function withoutCursor({ memo: _, ...record }: SourceRecord): SourceRecord {
  return record;
}

/** The batches of a reader. One that throws, or has no end, has a fault of its own; the scheduler and the other sources go on. */
async function* batchesOf(read: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let why = 'it has no end';
  try {
    yield* read;
  } catch (error) {
    why = explain(error);
  }
  const failure = { message: `The poll broke off: ${why}` };
  yield { put: [], gone: [], isLast: true, complete: false, failure };
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

/** Looks up what a source says now. Gives way to other work. */
function sayingsOf(
  source: Source,
  catalog: Pick<Catalog, 'statements' | 'said'>,
  breathe: Breather,
): Sayings {
  return {
    async named(document, uris) {
      const said = new Map<string, number>();
      for (const uri of uris) {
        await breathe();
        const statements = await catalog.statements(uri);
        const own = statements.find((one) => one.document === document && sameSource(one.source, source));
        if (own) said.set(uri, sizeOf(own.metadata));
      }
      return said;
    },
    async all(documents) {
      const said = new Map<string, Map<string, number>>();
      for (const document of documents) {
        const sizes = new Map<string, number>();
        said.set(document, sizes);
        for (const { metadata } of await catalog.said(source, document)) {
          await breathe();
          sizes.set(metadata.uri, sizeOf(metadata));
        }
      }
      return said;
    },
  };
}
