import type { Entry } from './entry.js';
import { lowerBound } from './listing.js';
import { NOTHING, type Ordered } from './postings.js';

/**
 * The descriptions that are not served, ordered by uri and, for one component, by precedence: those wait
 * until the ones before them go. Never changed in place.
 */
export class Losers {
  readonly entries: Ordered;

  constructor(entries: Ordered) {
    this.entries = entries;
  }

  of(uri: string): Ordered {
    if (this.entries.length === 0) return NOTHING;
    const from = this.#placeOf(uri);
    let to = from;
    while (this.entries[to]?.uri === uri) to += 1;
    return this.entries.slice(from, to);
  }

  /** With other losers for these components, which come in the order of their uris. */
  changed(changes: ReadonlyMap<string, Ordered>): Losers {
    if (changes.size === 0) return this;
    const entries: Entry[] = [];
    let copied = 0;
    const copyTo = (end: number) => {
      for (; copied < end; copied++) entries.push(this.entries[copied] as Entry);
    };
    for (const [uri, others] of changes) {
      copyTo(this.#placeOf(uri));
      copied += this.of(uri).length;
      entries.push(...others);
    }
    copyTo(this.entries.length);
    return new Losers(entries);
  }

  #placeOf(uri: string): number {
    return lowerBound(this.entries, (entry) => entry.uri >= uri);
  }
}

/** Each selected entry, followed by those of its component that lost; both are in the order of uris. */
export function* interleaved(selected: Ordered, { entries: losers }: Losers): Generator<Entry> {
  let next = 0;
  let loser = losers[next]?.uri;
  for (const entry of selected) {
    yield entry;
    if (loser === undefined) continue;
    const { uri } = entry;
    for (; loser !== undefined && loser <= uri; loser = losers[next]?.uri) {
      if (loser === uri) yield losers[next] as Entry;
      next += 1;
    }
  }
}
