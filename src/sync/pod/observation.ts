import type { DocumentRecord } from '../../registry/source-record.js';
import type { Observed } from '../sync-source.js';
import type { Reading } from './pod-request.js';

/** When one poll has seen a pod, by the clock of the pod's server; and whether it has seen all of it. */
export class Observation {
  #from: number | undefined;
  #until: number | undefined;
  #isComplete = true;

  /** Notes the time of an answer. One that bears none leaves open when it was given. */
  answered(reading: Reading): void {
    if (reading.kind === 'failed') return;
    const { serverDate } = reading;
    if (serverDate === undefined) this.#isComplete = false;
    else {
      this.#from ??= serverDate;
      this.#until = Math.max(this.#until ?? serverDate, serverDate);
    }
  }

  /** Notes what is known of a document after it was asked for. One that cannot be understood was seen all the same. */
  document(reading: Reading, record: DocumentRecord | null | undefined): void {
    const { error, unreadable, omitted } = record ?? {};
    const isFaulty = error !== undefined && unreadable === undefined;
    if (reading.kind === 'failed' || isFaulty || omitted !== undefined) this.#isComplete = false;
  }

  /** Something of the pod was not seen, or is not kept. */
  missed(): void {
    this.#isComplete = false;
  }

  /** Absent when the pod was not seen whole, or its server names no time. */
  get result(): Observed | undefined {
    if (!this.#isComplete || this.#from === undefined || this.#until === undefined) return undefined;
    return { from: this.#from, until: this.#until };
  }
}
