import { sourceKey } from '../../../component/precedence.js';
import type { CountedField } from '../../../registry/catalog.js';
import type { Entry } from '../listing/entry.js';

/** Counts by looking at what each entry says. */
export function countValues(entries: Iterable<Entry>, field: CountedField): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    for (const value of field === 'source' ? [sourceKey(entry.source)] : entry.metadata[field]) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}
