import { TaskTimeout } from '../faults.js';
import { PoolBusy } from './task.js';

/** How much longer than its processor time a task may last, as a multiple: others may need the processor, too. */
const MOST_LASTING = 20;

/** The time that one task may take: of a processor, and by the clock, not counting the time of the receiver. */
export class TaskTime {
  readonly #allowedMs: number;
  readonly #processorMs: () => number | undefined;
  readonly #before: number | undefined;
  #lastedMs = 0;
  /** The task cannot have used up its processor time before it has lasted so long. */
  #nextLook: number;

  /** @param processorMs what the thread has had of a processor since it began; undefined where that is not to be known */
  constructor(allowedMs: number, processorMs: () => number | undefined) {
    this.#allowedMs = allowedMs;
    this.#processorMs = processorMs;
    this.#before = processorMs();
    this.#nextLook = this.#before === undefined ? this.#mostLasting : allowedMs;
  }

  /** The processor time of the task so far, in ms; where that is not to be known, how long it has lasted. */
  get usedMs(): number {
    const now = this.#processorMs();
    return now === undefined || this.#before === undefined ? this.#lastedMs : now - this.#before;
  }

  lasted(ms: number): void {
    this.#lastedMs += ms;
  }

  /** Ms until this is to be asked again. @throws TaskTimeout or PoolBusy when the time is over */
  left(): number {
    if (this.#lastedMs >= this.#nextLook) this.#look();
    return this.#nextLook - this.#lastedMs;
  }

  #look(): void {
    const { usedMs } = this;
    const allowed = `${this.#allowedMs / 1000} s`;
    if (this.#before !== undefined && usedMs >= this.#allowedMs) {
      const why = 'it is too large or too complex for this node';
      throw new TaskTimeout(`reading it takes more than ${allowed} of processor time: ${why}`);
    }
    if (this.#lastedMs >= this.#mostLasting) {
      const lasted = `this node was too busy to read it within ${Math.round(this.#lastedMs / 1000)} s`;
      const used = `it had got ${(usedMs / 1000).toFixed(1)} s of processor time, of ${allowed} that it may take`;
      throw new PoolBusy(
        this.#before === undefined ? `${lasted}, or it is too complex` : `${lasted}: ${used}`,
      );
    }
    this.#nextLook = Math.min(this.#lastedMs + this.#allowedMs - usedMs, this.#mostLasting);
  }

  get #mostLasting(): number {
    return MOST_LASTING * this.#allowedMs;
  }
}
