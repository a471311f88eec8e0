import { sizeOf } from '../component/component-size.js';
import type { Batch, DocumentReading, ReadFailure } from '../core/reading.js';

/** What one batch holds at most, unless one document is more: components, and bytes of their texts. */
export const MOST_IN_BATCH = { components: 10_000, bytes: 8_000_000 } as const;

/** Gathers what was read of documents until it is enough for a batch. */
export class Batching {
  #put: DocumentReading[] = [];
  #components = 0;
  #bytes = 0;

  /** Gives what was added before, in a batch, when that and this are too much for one. */
  *add(reading: DocumentReading): Generator<Batch> {
    const said = reading.components ?? reading.amend?.put ?? [];
    const bytes = textOf(reading);
    const isTooMuch =
      this.#components + said.length > MOST_IN_BATCH.components || this.#bytes + bytes > MOST_IN_BATCH.bytes;
    if (isTooMuch && this.#put.length > 0) yield { put: this.take(), gone: [], isLast: false };
    this.#put.push(reading);
    this.#components += said.length;
    this.#bytes += bytes;
  }

  /** What has been gathered since the last batch. */
  take(): readonly DocumentReading[] {
    const put = this.#put;
    [this.#put, this.#components, this.#bytes] = [[], 0, 0];
    return put;
  }
}

/** Bytes of what a reading says, and of what is told of descriptions that cannot be used. */
export function textOf({ url, components, amend, record }: DocumentReading): number {
  const said = components ?? amend?.put ?? [];
  const invalid = (record.invalid ?? []).flatMap(({ subject, reasons }) => [subject, ...reasons]);
  const texts = [url, ...invalid].reduce((sum, { length }) => sum + length, 0);
  return said.reduce((sum, component) => sum + sizeOf(component), texts);
}

/** The only batch of a reading that has learned nothing. */
export function failedBatch(failure: ReadFailure, more: Pick<Batch, 'memo'> = {}): Batch {
  return { put: [], gone: [], isLast: true, complete: false, failure, ...more };
}
