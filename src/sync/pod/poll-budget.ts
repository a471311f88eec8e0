import type { ReadFailure } from '../../core/reading.js';
import type { Reading } from './pod-request.js';

/** Requests in a row without any answer, after which a server counts as gone. */
const SILENT_REQUESTS = 5;

const TOO_SLOW = 'The pod is so slow that the poll was cut short; the next one goes on from here';

/** Decides, in the middle of a poll, that it is better to stop for now: a slow pod must not block the others. */
export class PollBudget {
  readonly #signal: AbortSignal;
  #silent = 0;
  #reason: ReadFailure | undefined;

  /** @param signal aborted when the time of the poll is over */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Why to stop, once there is a reason. */
  get exhausted(): ReadFailure | undefined {
    return this.#reason ?? (this.#signal.aborted ? { message: TOO_SLOW } : undefined);
  }

  /** Counts an answer, or that there was none. */
  record(reading: Reading): void {
    const failed = reading.kind === 'failed' && !this.#signal.aborted ? reading : undefined;
    this.#silent = failed && failed.status === undefined ? this.#silent + 1 : 0;
    if (failed?.status === 429) {
      const message = 'The pod asks for fewer requests (429); the next poll goes on from here';
      this.#reason ??= { message, notBefore: failed.notBefore };
    } else if (failed && this.#silent >= SILENT_REQUESTS) {
      this.#reason ??= { message: `The pod stopped answering: ${failed.message}` };
    }
  }
}
