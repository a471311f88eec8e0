import { indexedValues } from '../../../component/canonical-shape.js';
import { sourceKey } from '../../../component/source.js';
import type { Breather } from '../../../lib/pace.js';
import type { CountedField } from '../../../registry/counts.js';
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
    const values = field === 'source' ? [sourceKey(entry.source)] : indexedValues(entry.metadata, field);
    for (const value of values) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

/** Entries that are looked at without asking whether it is time for other work, which takes longer than looking at one. */
export const STRIDE = 500;

/** Some of the served entries. */
export class Subset {
  readonly entries: readonly Entry[];
  #members: Promise<ReadonlySet<Entry>> | undefined;

  constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }

  /** The same as a set, made once, for whoever asks first. Gives way to other work. */
  members(breathe: Breather): Promise<ReadonlySet<Entry>> {
    this.#members ??= setOf(this.entries, breathe);
    return this.#members;
  }
}

async function setOf(entries: readonly Entry[], breathe: Breather): Promise<ReadonlySet<Entry>> {
  const set = new Set<Entry>();
  for (let at = 0; at < entries.length; at += STRIDE) {
    for (const entry of entries.slice(at, at + STRIDE)) set.add(entry);
    const pause = breathe();
    if (pause) await pause;
  }
  return set;
}

/** How many entries of a list, from one place up to another, are in a set. */
export function countMembers(
  list: readonly Entry[],
  members: ReadonlySet<Entry>,
  from: number,
  to: number,
): number {
  let count = 0;
  const end = Math.min(to, list.length);
  for (let i = from; i < end; i++) if (members.has(list[i] as Entry)) count += 1;
  return count;
}
