import type { Source } from '../../component/source.js';
import { heldAfter, isSuspicious, type Shrink } from '../../core/shrink-guard.js';
import { explain } from '../../lib/faults.js';
import { LeaseLost } from '../../registry/shared-polls.js';
import type { SourceRecord, StoredSource } from '../../registry/source-record.js';
import type { Objection, PollResult } from '../sync-source.js';
import type { PollWriter } from './poll-writer.js';
import type { Polled, Polling } from './polling.js';
import type { HeldRemovals } from './removals.js';
import { afterAttempt, failuresAfter } from './source-state.js';

export interface PollCommitParts {
  readonly source: Source;
  readonly polling: Pick<Polling, 'clock' | 'nextAttempt' | 'acceptsShrink'>;
  readonly stored: StoredSource | undefined;
  readonly writer: PollWriter;
  /** When the poll began, ms since the epoch. */
  readonly began: number;
}

/** The end of a poll: what it found is stored together with the source's new record, or held, or objected to. */
export class PollCommit {
  readonly #parts: PollCommitParts;
  /** Objections to which the source has said that it has nothing else. */
  readonly #overruled = new Set<Objection['reason']>();
  #recorded = false;

  constructor(parts: PollCommitParts) {
    this.#parts = parts;
  }

  /** Has the record after the poll been stored? */
  get recorded(): boolean {
    return this.#recorded;
  }

  overrule({ reason }: Objection): void {
    this.#overruled.add(reason);
  }

  /** Stores a result, unless there is an objection that has not been overruled; then nothing of it is stored. */
  async store(result: PollResult): Promise<Polled | Objection> {
    const { writer, polling, stored } = this.#parts;
    const isFinal = (reason: Objection['reason']) => !result.otherwise || this.#overruled.has(reason);
    const held = polling.acceptsShrink() ? undefined : await this.#held(result);
    if (held && !stored?.record.shrink && !isFinal('shrink')) return { reason: 'shrink' };
    let polled: Polled | undefined;
    const record = (current: SourceRecord) => {
      polled = this.polled(result, current, held?.shrink);
      return polled.after;
    };
    // What is held takes the room of what comes: that is read again as long as something is held.
    const asFarAsPossible = held !== undefined || isFinal('room');
    const objection = await writer.finish(result, { record, asFarAsPossible, held });
    if (!objection) return this.#stored(polled ?? this.polled(result, undefined, held?.shrink));
    if (!isFinal(objection.reason)) return objection;
    const failure = { message: 'what it says contradicts itself, and nothing else could be read' };
    return this.#remember({ documents: [], failure });
  }

  /**
   * Stores that nothing which the poll found could be stored. The record alone may fit; if not, the report tells.
   * @throws LeaseLost when it is not for this node to store anything
   */
  async unstored(error: unknown): Promise<Polled> {
    if (error instanceof LeaseLost) throw error;
    const failure = { message: `What it says could not be stored: ${explain(error)}` };
    const result = { documents: [], failure };
    const { report, ...records } = await this.#remember(result).catch(() => this.polled(result));
    return { ...records, report: { ...report, unstored: true } };
  }

  /** What a poll comes to. `shrink`: what it would remove is held. */
  polled(
    result: PollResult,
    before: SourceRecord = this.#parts.stored?.record ?? { failures: 0 },
    shrink?: Shrink,
  ): Polled {
    const { failure, remember, repairs, unread = 0 } = result;
    const { source, writer, began, polling } = this.#parts;
    const ended = polling.clock.now();
    const error = failure?.message;
    const attempt = {
      ...{ began, ended, error, permanent: failure?.permanent, shrink },
      nextAttempt: polling.nextAttempt(failure, failuresAfter(before, failure !== undefined)),
      unread: unread + writer.refused,
    };
    return {
      before,
      after: afterAttempt(before, remember ? { ...attempt, remember } : attempt),
      report: {
        ...{ source, ok: !failure },
        error,
        ...{ durationMs: ended - began, ...writer.counts },
        ...(shrink ? { held: { from: shrink.from, to: shrink.to } } : {}),
        ...(repairs ? { repairs } : {}),
      },
    };
  }

  /** What is held of what a poll would remove; nothing when the source has not lost much, or that is believed. */
  async #held(result: PollResult): Promise<(HeldRemovals & { readonly shrink: Shrink }) | undefined> {
    const { stored, writer, polling } = this.#parts;
    const before = stored?.record.shrink;
    const loss = await writer.loss(result);
    if (!before && !isSuspicious(loss)) return undefined;
    const found = await writer.removals(result);
    const removals = new Set([...found.values()].flatMap((uris) => [...uris.values()]));
    const isComplete = !result.failure;
    const held = heldAfter(before, { ...loss, removals, isComplete, now: polling.clock.now() });
    return held && { ...held, found };
  }

  async #remember(result: PollResult): Promise<Polled> {
    let polled: Polled | undefined;
    await this.#parts.writer.remember((record) => {
      polled = this.polled(result, record);
      return polled.after;
    });
    return this.#stored(polled ?? this.polled(result));
  }

  #stored({ report, ...records }: Polled): Polled {
    this.#recorded = true;
    const { counts, unusable } = this.#parts.writer;
    const refused = unusable > 0 ? { refused: unusable } : {};
    return { ...records, report: { ...report, ...counts, ...refused } };
  }
}
