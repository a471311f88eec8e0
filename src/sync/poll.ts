import type { Source } from '../component/source.js';
import { difference } from '../core/amount.js';
import { judge, type Verdict } from '../core/judge.js';
import { amountOfAll } from '../core/limits.js';
import { takenAgain } from '../core/pod-roles.js';
import { type PollEnd, recordAfter } from '../core/poll-end.js';
import type { Batch, DocumentReading, ReadingEnd } from '../core/reading.js';
import { DigestMismatch } from '../core/source-digests.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import { type PeerGraph, type PeerRules, takeStatement } from '../core/take.js';
import type { PollOutcome, PollReport } from '../explain/poll-report.js';
import { LeaseLost } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { Trust } from '../lib/fetch/hop.js';
import { linkedAbort } from '../lib/linked-abort.js';
import type { Pace } from '../lib/pace.js';
import { NO_CHANGE, type Registry } from '../registry/registry.js';
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
  readonly plan: (end: ReadingEnd) => PollEnd['planned'];
}

/**
 * Longest poll, in ms, its parsing included; what is left is read by the next one. Learned sources wait for
 * one another.
 */
const LONGEST_POLL: Readonly<Record<Trust, number>> = { configured: 10 * 60_000, learned: 2 * 60_000 };

/**
 * Polls a source once: reads it, judges what was read, and commits that with the source's new record. Where
 * that cannot be stored, the poll has failed, and the next one finds the same again. Rejects only when it is
 * stopped, or with `LeaseLost`.
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
  readonly #rules: PeerRules | undefined;
  readonly #began: number;
  readonly #before: SourceRecord;
  #after: SourceRecord;

  constructor(
    readonly reader: SourceReader,
    stored: StoredSource | undefined,
    readonly polling: Polling,
  ) {
    this.#rules = polling.rules(reader.source);
    // What was refused of it, and is taken now, the source has to tell again.
    const again = stored && this.#rules ? takenAgain(stored.record, this.#rules) : [];
    this.#stored =
      stored && again.length > 0 ? { ...stored, record: { ...stored.record, memo: undefined } } : stored;
    this.#began = polling.clock.now();
    this.#before = stored?.record ?? { failures: 0 };
    this.#after = this.#before;
  }

  async run(stop: AbortSignal): Promise<PollOutcome> {
    const { clock } = this.polling;
    const { signal, abort, end } = linkedAbort(stop);
    const timeout = () => abort(new PollTimeout('the poll took too long'));
    clock.sleep(LONGEST_POLL[this.reader.trust], signal).then(timeout, () => undefined);
    try {
      const read = await this.#read(signal);
      stop.throwIfAborted();
      return await this.#store(read);
    } catch (error) {
      stop.throwIfAborted();
      if (error instanceof LeaseLost) throw error;
      const failure = { message: `What it says could not be stored: ${explain(error)}` };
      return this.#conclude({ failure }).catch(() => this.#outcome({ failure }, { unstored: true }));
    } finally {
      end();
      abort('the poll has ended');
    }
  }

  /** All that the reader says, as one batch. One that throws, or has no end, has a fault of its own: others go on. */
  async #read(signal: AbortSignal): Promise<Batch> {
    const most = await this.polling.room.limit(this.reader);
    const room = difference(most, amountOfAll(this.#stored?.documents ?? new Map()));
    const sayings = (document: string) => this.polling.registry.said(this.reader.source, document);
    const isWanted = (graph: PeerGraph) => !this.#rules || takeStatement(graph, this.#rules) === 'taken';
    const put: DocumentReading[] = [];
    let why = 'it has no end';
    try {
      for await (const batch of this.reader.read(this.#stored, { most, room, sayings, isWanted }, signal)) {
        for (const reading of batch.put) put.push(reading);
        if (batch.isLast) return { ...batch, put };
      }
    } catch (error) {
      why = explain(error);
    }
    const failure = { message: `The poll broke off: ${why}` };
    return { put, gone: [], isLast: true, complete: false, failure };
  }

  #store(read: Batch): Promise<PollOutcome> {
    const { room, clock, pace, registry, acceptsShrink } = this.polling;
    const { source } = this.reader;
    const { failure, notBefore, memo, disagrees } = read;
    return room.within(this.reader, async (limit) => {
      const sayings = (document: string) => registry.said(source, document);
      const now = { limit, now: clock.now(), breathe: pace() };
      const parts = { stored: this.#stored, rules: this.#rules, acceptsShrink, sayings, ...now };
      const verdict = await judge(read, parts);
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

  /**
   * Commits how the poll ended. A change that is more than one commit is several: what goes comes last, with
   * the record.
   */
  async #conclude(end: End, { documents = [], expected }: Partial<Verdict> = {}): Promise<PollOutcome> {
    const { clock, plan, commit } = this.polling;
    const polled = { ...end, began: this.#began, ended: clock.now(), planned: plan(end) };
    const record = (before: SourceRecord) => {
      this.#after = recordAfter(before, polled);
      return this.#after;
    };
    // Others may have noted something of it meanwhile; what cannot be stored is told all the same.
    record(this.#before);
    return this.#outcome(end, await commit({ source: this.reader.source, documents, record, expected }));
  }

  #outcome({ failure, verdict, disagrees }: End, stored: Partial<PollReport>): PollOutcome {
    const { shrink } = verdict ?? {};
    const report: PollReport = {
      source: this.reader.source,
      ok: !failure,
      error: failure?.message,
      durationMs: this.polling.clock.now() - this.#began,
      ...{ ...NO_CHANGE, ...stored },
      held: shrink && { from: shrink.from, to: shrink.to },
      repairs: disagrees ? 1 : undefined,
    };
    return { before: this.#before, after: this.#after, report };
  }
}
