import { sourceKey } from '../../../component/precedence.js';
import type { Breather } from '../../../lib/pace.js';
import type { CountedField } from '../../../registry/catalog.js';
import type { Entry } from '../listing/entry.js';

/** Counts by looking at what each entry says. Gives way to other work. */
export async function countValues(
  entries: Iterable<Entry>,
  field: CountedField,
  breathe: Breather,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const pause = breathe();
    if (pause) await pause;
    for (const value of field === 'source' ? [sourceKey(entry.source)] : entry.metadata[field]) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}
