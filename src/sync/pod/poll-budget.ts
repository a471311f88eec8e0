import type { PollFailure } from '../sync-source.js';
import type { Reading } from './pod-request.js';

/** Requests in a row without any answer, after which a server counts as gone. */
const SILENT_REQUESTS = 5;

/**
 * Decides, in the middle of a poll, that it is better to stop for now: a slow pod must not block the others.
 * The time of the poll is over when its signal is aborted; any other abortion is left to the poll.
 */
export class PollBudget {
  readonly #signal: AbortSignal;
  #silent = 0;
  #exhausted: PollFailure | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Why to stop, once there is a reason. */
  get exhausted(): PollFailure | undefined {
    if (this.#signal.aborted) {
      this.#exhausted ??= {
        message: 'The pod is so slow that the poll was cut short; the next one goes on from here',
      };
    }
    return this.#exhausted;
  }

  /** Counts an answer, or that there was none. */
  record(reading: Reading): void {
    const failed = reading.kind === 'failed' ? reading : undefined;
    this.#silent = failed && failed.status === undefined ? this.#silent + 1 : 0;
    if (failed?.status === 429) {
      const { notBefore } = failed;
      const message = 'The pod asks for fewer requests (429); the next poll goes on from here';
      this.#exhausted ??= { message, notBefore };
    } else if (failed && this.#silent >= SILENT_REQUESTS) {
      this.#exhausted ??= { message: `The pod stopped answering: ${failed.message}` };
    }
  }
}
