import type { Source } from '../component/source.js';
import type { Batch, ReadLimits } from '../core/reading.js';
import type { StoredSource } from '../core/source-record.js';
import type { Trust } from '../lib/fetch/hop.js';

/**
 * Opens a stream to another server, for `life` ms at most; each item is a hint. Rejects with `NoStream` when
 * there is none.
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

/** Reads one pod or peer. It says what the other side says, decides and stores nothing, and has nothing to ask. */
export interface SourceReader {
  readonly source: Source;
  /** Did the operator name it, or other nodes? Learned sources get fewer slots and less time and room. */
  readonly trust: Trust;
  /**
   * Reads the source once, in batches, of which the last is `isLast`. Documents are named as they are stored.
   * It never throws for what the other side does: an answer that is late, broken, too large or missing is a
   * failure in the last batch or in the record of its document, and nothing is `gone` but what a complete
   * answer does not name any more, or what its server says is gone. When nothing is new, requests are
   * conditional and no bodies move (but listings of containers), also after a restart. When the signal is
   * aborted with a `PollTimeout`, its last batch comes soon, with what was read until then and a failure. For
   * any other reason it throws that.
   * @param stored what is stored of the source now; of a memo that it cannot use, nothing is taken
   */
  read(stored: StoredSource | undefined, limits: ReadLimits, signal: AbortSignal): AsyncIterable<Batch>;
  /**
   * Opens a stream on which the source, or one of its documents, says that something has changed; absent
   * where there is none.
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
