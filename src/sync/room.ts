import type { DocumentRecord } from '../core/document-record.js';
import type { Amount, ReadLimits } from '../core/reading.js';

/** Bytes of the text of a component, on average: see `sync.maxComponents`. */
const AVERAGE = 512;
/** With less than this part of its bytes left, or with fewer bytes than these, a source is full: nothing new of it is read. */
const FULL = { part: 1 / 16, bytes: 4_096 } as const;

/**
 * Could some of what was left out of a document be stored, when there is so much room for more of its source? A document is
 * read again whole only then: near a limit it would be read at every poll, and nothing of it would ever be stored.
 */
export function fitsMore({ omitted = 0, firstOmitted = AVERAGE }: DocumentRecord, room: Amount): boolean {
  return omitted > 0 && room.components > 0 && room.bytes >= firstOmitted;
}

/** Is there no room worth speaking of? What is known of the source is read on. */
export function isFull({ most, room }: ReadLimits): boolean {
  return room.components < 1 || room.bytes < Math.max(most.bytes * FULL.part, FULL.bytes);
}
