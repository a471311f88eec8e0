import { lowerBound } from '../../../lib/lower-bound.js';
import { type Entry, NOTHING, type Ordered } from './entry.js';

/**
 * The descriptions that are not served, ordered by uri and, for one component, by precedence: the first of
 * them is served when the served one goes. Never changed in place.
 */
export class ShadowedStatements {
  readonly entries: Ordered;

  constructor(entries: Ordered) {
    this.entries = entries;
  }

  of(uri: string): Ordered {
    if (this.entries.length === 0) return NOTHING;
    // Not by looking at each entry: a component may be described thousands of times, and reading a uri takes time.
    const end = lowerBound(this.entries, (entry) => entry.uri > uri);
    return this.entries.slice(this.#indexOf(uri), end);
  }

  /** With other entries for these components, which come in the order of their uris. */
  changed(changes: ReadonlyMap<string, Ordered>): ShadowedStatements {
    if (changes.size === 0) return this;
    const entries: Entry[] = [];
    let copied = 0;
    const copyTo = (end: number) => {
      for (; copied < end; copied++) entries.push(this.entries[copied] as Entry);
    };
    for (const [uri, others] of changes) {
      copyTo(this.#indexOf(uri));
      copied += this.of(uri).length;
      entries.push(...others);
    }
    copyTo(this.entries.length);
    return new ShadowedStatements(entries);
  }

  #indexOf(uri: string): number {
    return lowerBound(this.entries, (entry) => entry.uri >= uri);
  }
}

/** Each of these served entries, followed by the shadowed ones of its component; both are in the order of uris. */
export function* withShadowed(
  served: Iterable<Entry>,
  { entries: shadowed }: ShadowedStatements,
): Generator<Entry> {
  let next = 0;
  let waiting = shadowed[next]?.uri;
  for (const entry of served) {
    yield entry;
    if (waiting === undefined) continue;
    const { uri } = entry;
    for (; waiting !== undefined && waiting <= uri; waiting = shadowed[next]?.uri) {
      if (waiting === uri) yield shadowed[next] as Entry;
      next += 1;
    }
  }
}
