import { indexedValues } from '../component/canonical-shape.js';
import { sourceKey } from '../component/source.js';
import type { Breather } from '../lib/pace.js';
import type { CountedField } from './counts.js';
import type { Component, Origin } from './entry.js';
import type { Components, PostedField, Postings } from './postings.js';

/** Components that are looked at without asking whether it is time for other work, which takes longer than looking at one. */
const STRIDE = 500;

export interface Counted {
  readonly postings: Readonly<Record<PostedField, Postings>>;
  /** All that is served, and how many that are. */
  readonly all: Iterable<Component>;
  readonly size: number;
}

/** How many components have each value of a field: all, or some of them. Gives way to other work. */
export async function countsOf(
  field: CountedField,
  { postings, all, size }: Counted,
  some: Components | undefined,
  breathe: Breather,
): Promise<ReadonlyMap<string, number>> {
  if (field === 'source') return countSources(some ?? all, breathe);
  const lists = [...postings[field]];
  if (!some || some.length === size) return new Map(lists.map(([value, { length }]) => [value, length]));
  // What few components say is parsed; among many, it is looked up which of each value's components belong to them.
  return some.length < size / 8 ? countValues(some, field, breathe) : countMembers(lists, some, breathe);
}

async function countSources(
  components: Iterable<Component>,
  breathe: Breather,
): Promise<ReadonlyMap<string, number>> {
  const byOrigin = new Map<Origin, number>();
  let looked = 0;
  for (const { served } of components) {
    byOrigin.set(served.origin, (byOrigin.get(served.origin) ?? 0) + 1);
    looked += 1;
    if (looked % STRIDE === 0) await breathe();
  }
  const counts = new Map<string, number>();
  for (const [{ standing }, count] of byOrigin) {
    const key = sourceKey(standing.source);
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

async function countValues(
  components: Components,
  field: PostedField,
  breathe: Breather,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { served } of components) {
    for (const value of indexedValues(served.metadata, field))
      counts.set(value, (counts.get(value) ?? 0) + 1);
    await breathe();
  }
  return counts;
}

async function countMembers(
  lists: readonly (readonly [value: string, components: Components])[],
  some: Components,
  breathe: Breather,
): Promise<ReadonlyMap<string, number>> {
  const members = new Set(some);
  const counts = new Map<string, number>();
  for (const [value, components] of lists) {
    let count = 0;
    for (let from = 0; from < components.length; from += STRIDE) {
      for (const component of components.slice(from, from + STRIDE)) if (members.has(component)) count += 1;
      await breathe();
    }
    if (count > 0) counts.set(value, count);
  }
  return counts;
}
