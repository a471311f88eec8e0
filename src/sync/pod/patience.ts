import type { Clock } from '../../lib/clock.js';
import type { PollFailure } from '../sync-source.js';
import type { Reading } from './pod-request.js';

/** Requests in a row without any answer, after which a server counts as gone. */
const SILENT_REQUESTS = 5;
/** Longest poll of one source, in ms. What is left is read by the next one. */
export const LONGEST_POLL = 10 * 60_000;

/** Decides, in the middle of a poll, that it is better to stop for now: a slow pod must not block the others. */
export class Patience {
  readonly #clock: Clock;
  readonly #end: number;
  #silent = 0;
  #over: PollFailure | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#end = clock.now() + LONGEST_POLL;
  }

  /** Why to stop, once there is a reason. */
  get over(): PollFailure | undefined {
    if (!this.#over && this.#clock.now() > this.#end) {
      this.#over = {
        message: 'The pod is so slow that the poll was cut short; the next one goes on from here',
      };
    }
    return this.#over;
  }

  /** To be told of every reading. */
  note(reading: Reading): void {
    const failed = reading.kind === 'failed' ? reading : undefined;
    this.#silent = failed && failed.status === undefined ? this.#silent + 1 : 0;
    if (failed?.status === 429) {
      const { notBefore } = failed;
      const message = 'The pod asks for fewer requests (429); the next poll goes on from here';
      this.#over ??= { message, ...(notBefore === undefined ? {} : { notBefore }) };
    } else if (failed && this.#silent >= SILENT_REQUESTS) {
      this.#over ??= { message: `The pod stopped answering: ${failed.message}` };
    }
  }
}
