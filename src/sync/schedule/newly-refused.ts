import type { DocumentChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';

/**
 * How many descriptions and documents a poll has found that cannot be used, and that were not known to be so: a document
 * that stays broken is counted once.
 */
export function newlyRefused(
  known: StoredSource['documents'] | undefined,
  changes: readonly DocumentChange[],
): number {
  return changes.reduce((sum, { url, record }) => {
    if (record === null) return sum;
    const before = known?.get(url);
    const invalid = record.invalid ?? [];
    const isNews = invalid.length > 0 && JSON.stringify(invalid) !== JSON.stringify(before?.invalid);
    const isUnreadable = record.unreadable !== undefined && record.unreadable !== before?.unreadable;
    return sum + (isNews ? invalid.length : 0) + (isUnreadable ? 1 : 0);
  }, 0);
}
