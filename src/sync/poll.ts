import { sizeOf } from '../component/component-size.js';
import type { Source } from '../component/source.js';
import type { DocumentChange } from '../core/document-change.js';
import { Judge, type Verdict } from '../core/judge.js';
import { difference } from '../core/limits.js';
import { wantsMore } from '../core/pod-roles.js';
import { type PollEnd, recordAfter } from '../core/poll-end.js';
import type { Batch, DocumentReading, ReadingEnd, ReadLimits } from '../core/reading.js';
import { DigestMismatch } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import type { PeerRules } from '../core/take.js';
import type { PollReport } from '../explain/poll-report.js';
import { LeaseLost } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { Pace } from '../lib/pace.js';
import type { Registry } from '../registry/registry.js';
import type { SourceChange } from '../registry/source-change.js';
import { NO_CHANGE, sumOfCounts } from '../registry/source-change.js';
import type { Room } from './room.js';
import { PollTimeout, type SourceReader } from './source-reader.js';

export interface Polling {
  readonly registry: Pick<Registry, 'source' | 'said'>;
  readonly commit: Registry['commit'];
  readonly room: Room;
  /** What is taken of a source, as of now; absent where it speaks for all that it has. */
  readonly rules: (source: Source) => PeerRules | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  /** When the source is polled next, given how this poll went. */
  readonly plan: (end: ReadingEnd) => PollEnd['planned'];
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

/**
 * Polls a source once: reads it, decides what becomes of what was read, and commits that with the source's new record. When
 * the registry cannot be written, that is a failed poll: what is stored stays as it was, and the next poll finds the same
 * again. Rejects only when it is stopped, or with `LeaseLost`; then nothing more is stored.
 */
export async function pollOnce(
  reader: SourceReader,
  polling: Polling,
  stop: AbortSignal,
): Promise<PollOutcome> {
  const stored = await polling.registry.source(reader.source);
  stop.throwIfAborted();
  return new Poll(reader, stored, polling).run(stop);
}

/** How a poll ended, but for its times. */
type End = Omit<PollEnd, 'began' | 'ended' | 'planned'> & ReadingEnd;

class Poll {
  readonly #stored: StoredSource | undefined;
  readonly #rereads: boolean;
  readonly #judge: Judge;
  readonly #began: number;
  #counts = NO_CHANGE;
  #records: Pick<PollOutcome, 'before' | 'after'>;

  constructor(
    readonly reader: SourceReader,
    stored: StoredSource | undefined,
    readonly polling: Polling,
  ) {
    const { acceptsShrink, registry, clock, pace } = polling;
    const { source } = reader;
    const rules = polling.rules(source);
    // What was refused of it, and is taken now, the source has to tell again.
    this.#rereads = stored !== undefined && rules !== undefined && wantsMore(stored.record, rules);
    this.#stored = stored && { ...stored, record: this.#known(stored.record) };
    const sayings = (document: string) => registry.said(source, document);
    this.#judge = new Judge({ stored: this.#stored, rules, acceptsShrink, sayings, breathe: pace() });
    this.#began = clock.now();
    const before = stored?.record ?? { failures: 0 };
    this.#records = { before, after: before };
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
      const failure = { message: `What it says could not be stored: ${explain(error)}` };
      return this.#conclude({ failure }).catch(() => this.#outcome({ failure }, true));
    } finally {
      ended.abort(new Error('The poll has ended'));
    }
  }

  /**
   * Reads to the last batch, and commits on the way what is more than one commit, or more text than is kept of the source.
   * @returns the last batch, with all that is not decided yet
   */
  async #read(signal: AbortSignal, stop: AbortSignal): Promise<Batch> {
    const most = await this.polling.room.limit(this.reader);
    const room = difference(most, this.#judge.amount);
    const limits: ReadLimits = { most, room, isWanted: (graph) => this.#judge.isWanted(graph) };
    let put: DocumentReading[] = [];
    let [changes, bytes] = [0, 0];
    for await (const batch of batchesOf(this.reader.read(this.#stored, limits, signal))) {
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

  #storePart(put: readonly DocumentReading[]): Promise<void> {
    return this.polling.room.within(this.reader, async (limit) => {
      const documents = await this.#judge.more(put, limit);
      if (documents.length > 0) await this.#commit(documents, { record: (record) => record });
    });
  }

  #end(last: Batch): Promise<PollOutcome> {
    const { room, clock } = this.polling;
    const { failure, notBefore, memo, disagrees } = last;
    return room.within(this.reader, async (limit) => {
      const verdict = await this.#judge.end(last, limit, clock.now());
      try {
        return await this.#conclude({ failure, notBefore, memo, verdict, disagrees }, verdict);
      } catch (error) {
        if (!(error instanceof DigestMismatch)) throw error;
        const some = error.differing.slice(0, 3).join(', ');
        const mismatch = { message: `what it says does not lead to the digests that it tells (${some})` };
        return this.#conclude({ failure: mismatch, disagrees: true }, { documents: verdict.dropped });
      }
    });
  }

  async #commit(
    documents: readonly DocumentChange[],
    change: Pick<SourceChange, 'record' | 'expected'>,
  ): Promise<void> {
    const counts = await this.polling.commit({ source: this.reader.source, documents, ...change });
    this.#counts = sumOfCounts(this.#counts, counts);
  }

  /** Commits how the poll ended. */
  async #conclude(end: End, { documents = [], expected }: Partial<Verdict> = {}): Promise<PollOutcome> {
    const { clock, plan } = this.polling;
    const polled = { ...end, began: this.#began, ended: clock.now(), planned: plan(end) };
    const record = (before: SourceRecord) => {
      this.#records = { before, after: recordAfter(this.#known(before), polled) };
      return this.#records.after;
    };
    // Others may have noted something of it meanwhile; what cannot be stored is told all the same.
    record(this.#records.before);
    await this.#commit(documents, { record, expected });
    return this.#outcome(end);
  }

  /** What of a record counts for this poll. */
  #known(record: SourceRecord): SourceRecord {
    return this.#rereads ? { ...record, memo: undefined } : record;
  }

  #outcome({ failure, verdict, disagrees }: End, isUnstored = false): PollOutcome {
    const { shrink } = verdict ?? {};
    const report: PollReport = {
      source: this.reader.source,
      ok: !failure,
      error: failure?.message,
      durationMs: this.polling.clock.now() - this.#began,
      ...this.#counts,
      held: shrink && { from: shrink.from, to: shrink.to },
      repairs: disagrees ? 1 : undefined,
      ...(isUnstored && { unstored: true }),
    };
    return { ...this.#records, report };
  }
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
