import type { Breather, Pace } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type Entry, entriesOf } from './entry.js';
import type { Listing } from './listing.js';
import { type Components, type PostedField, postingsOf } from './postings.js';

/** What leads to components beside their uris. Changed in place, with the listing that it is of. */
export interface CatalogIndex {
  readonly postings: Record<PostedField, Map<string, Components>>;
  /** In the order of positions. */
  entries: readonly Entry[];
}

/** The index of what a start has read. It is made when it is needed first, so that a node answers sooner. */
export class LazyIndex {
  readonly #listing: Listing;
  readonly #pace: Pace;
  #making: Promise<CatalogIndex> | undefined;
  /** Once it is made. */
  made: CatalogIndex | undefined;

  constructor(listing: Listing, pace: Pace) {
    this.#listing = listing;
    this.#pace = pace;
  }

  /** Gives way to other work. */
  async make(): Promise<CatalogIndex> {
    this.#making ??= indexOf(this.#listing, this.#pace());
    this.made = await this.#making;
    return this.made;
  }
}

async function indexOf(listing: Listing, breathe: Breather): Promise<CatalogIndex> {
  const entries: Entry[] = [];
  for (const component of listing.from()) {
    entries.push(...entriesOf(component));
    const pause = breathe();
    if (pause) await pause;
  }
  return {
    postings: await postingsOf(listing.from(), breathe),
    entries: await sortedBy(entries, ({ position }) => position, breathe),
  };
}
