import type { Batch, DocumentReading, ReadFailure } from '../core/reading.js';

/** A batch of what was read of one document. The poll puts together as many as make a commit. */
export function partOf(reading: DocumentReading): Batch {
  return { put: [reading], gone: [], isLast: false };
}

/** The only batch of a reading that has learned nothing. */
export function failedBatch(failure: ReadFailure, more: Pick<Batch, 'memo'> = {}): Batch {
  return { put: [], gone: [], isLast: true, complete: false, failure, ...more };
}
