import type { Source } from '../component/source.js';
import type { Batch, DocumentReading, ReadFailure, ReadLimits } from '../core/reading.js';
import type { StoredSource } from '../core/source-record.js';
import type { Trust } from '../lib/fetch/hop.js';

/**
 * Opens a stream to another server, which ends after `life` ms at the latest; of what it gives, each item is a hint. Rejects
 * when that fails, with `NoStream` when the other side has none to offer.
 */
export type OpenStream = (signal: AbortSignal, life: number) => Promise<AsyncIterable<unknown>>;

/** The other side offers no stream, or none at present. */
export class NoStream extends Error {
  override readonly name = 'NoStream';

  /** @param retryAt when to ask again, ms since the epoch; after a day when absent */
  constructor(
    message: string,
    readonly retryAt?: number,
  ) {
    super(message);
  }
}

/**
 * Reads one pod or peer. It says what the other side says, and decides nothing: what is taken of that, what there is room
 * for and what is removed is `judge`'s. It stores nothing and has nothing to ask: all that it takes is in what it is given.
 */
export interface SourceReader {
  readonly source: Source;
  /** Did the operator name it, or other nodes? Learned sources get fewer slots and less time and room. */
  readonly trust: Trust;
  /**
   * Reads the source once, in batches, of which exactly one, the last, is `isLast`. Documents are named as they are stored:
   * those of a peer by `documentName` (`core/take.ts`).
   *
   * It never throws for what the other side does: an answer that is late, broken, too large or missing is a failure in
   * the last batch or in the record of its document. A failure is not absence: only what a complete answer does not name
   * any more, or what its server says is gone, is in `gone`.
   *
   * When nothing is new, requests are conditional and no bodies move (a container's listing excepted, whose validators
   * do not tell of edits), also after a restart.
   *
   * When the signal is aborted with a `PollTimeout`, it asks for nothing more, and its last batch, which comes soon, has
   * what was read until then and a failure; what was under way is left as it was. For any other reason it throws that.
   *
   * @param stored what is stored of the source now. A memo that it cannot use is as none: everything is read
   */
  read(stored: StoredSource | undefined, limits: ReadLimits, signal: AbortSignal): AsyncIterable<Batch>;
  /**
   * Opens a stream on which the source says that something has changed: anything of it, or one document of it. What is
   * said is only ever a hint to poll. Absent where there is no such thing.
   */
  stream?(document?: string): OpenStream;
}

/** The reason of a poll's signal when its time is over. */
export class PollTimeout extends Error {
  override readonly name = 'PollTimeout';
}

/** @throws the reason of a signal that was aborted for another cause than the time of the poll being over */
export function throwIfStopped(signal: AbortSignal): void {
  if (!(signal.reason instanceof PollTimeout)) signal.throwIfAborted();
}

/** A batch of what was read of one document. */
export function partOf(reading: DocumentReading): Batch {
  return { put: [reading], gone: [], isLast: false };
}

/** The only batch of a reading that has learned nothing. */
export function failedBatch(failure: ReadFailure, more: Pick<Batch, 'memo'> = {}): Batch {
  return { put: [], gone: [], isLast: true, complete: false, failure, ...more };
}
