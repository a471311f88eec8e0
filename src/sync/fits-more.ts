import type { DocumentRecord } from '../core/document-record.js';
import type { Amount } from './sync-source.js';

/**
 * Could some of what was left out of a document be stored, when there is so much room for more of its source? A document is
 * read again whole only then: near a limit it would be read at every poll, and nothing of it would ever be stored.
 */
export function fitsMore({ omitted = 0, firstOmitted = 1 }: DocumentRecord, room: Amount): boolean {
  return omitted > 0 && room.components > 0 && room.bytes >= firstOmitted;
}
