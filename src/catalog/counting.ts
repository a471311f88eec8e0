import { indexedValues } from '../component/canonical-shape.js';
import type { Breather } from '../lib/pace.js';
import type { CountedField } from './catalog.js';
import type { Component, Entry } from './entry.js';

/** How many of these components have each value of some fields. What they say is parsed once. Gives way to other work. */
export async function countsIn<F extends CountedField>(
  components: Iterable<Component>,
  fields: readonly F[],
  breathe: Breather,
): Promise<Record<F, ReadonlyMap<string, number>>> {
  const counted = fields.map((field) => [field, new Map<string, number>()] as const);
  const isParsed = fields.some((field) => field !== 'source');
  for (const { served } of components) {
    const said = isParsed ? served.metadata : undefined;
    for (const [field, counts] of counted)
      for (const value of valuesOf(served, field, said)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const pause = breathe();
    if (pause) await pause;
  }
  return Object.fromEntries(counted) as unknown as Record<F, ReadonlyMap<string, number>>;
}

function valuesOf({ origin }: Entry, field: CountedField, said: Entry['metadata'] | undefined) {
  if (field === 'source') return [origin.sourceKey];
  return said ? indexedValues(said, field) : [];
}
