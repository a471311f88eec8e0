import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type Entry, entriesOf } from './entry.js';
import type { Listing } from './listing.js';
import { type Components, type PostedField, postingsOf } from './postings.js';
import type { Removal } from './removal.js';

/** What leads to components beside their uris. Changed in place, with the listing that it is of. */
interface CatalogIndex {
  readonly postings: Record<PostedField, Map<string, Components>>;
  /** What happened latest to each statement: it is said, or removed. In the order of positions. */
  latest: readonly (Entry | Removal)[];
}

/** The index of what a start has read. It is made when it is needed first, so that a node answers sooner. */
export class LazyIndex {
  /** Once it is made. */
  made: CatalogIndex | undefined;
  readonly #index: () => Promise<CatalogIndex>;
  #making: Promise<CatalogIndex> | undefined;

  constructor(index: () => Promise<CatalogIndex>) {
    this.#index = index;
  }

  async make(): Promise<CatalogIndex> {
    this.#making ??= this.#index();
    this.made = await this.#making;
    return this.made;
  }
}

/** Gives way to other work. */
export async function indexOf(
  listing: Listing,
  removals: Iterable<Removal>,
  breathe: Breather,
): Promise<CatalogIndex> {
  const latest: (Entry | Removal)[] = [...removals];
  for (const component of listing.from()) {
    latest.push(...entriesOf(component));
    const pause = breathe();
    if (pause) await pause;
  }
  return {
    postings: await postingsOf(listing.from(), breathe),
    latest: await sortedBy(latest, ({ position }) => position, breathe),
  };
}
