import type { Facets } from '../component/listing-text.js';
import type { Precedence } from '../component/precedence.js';
import { compileQuery, compileVersion, type Query } from '../component/query.js';
import { searchWords } from '../component/search-text.js';
import { breather } from '../lib/slices.js';
import { setApart } from './block-writer.js';
import { type CatalogChange, changeOf, type Draft } from './catalog-change.js';
import type { Entry } from './entry.js';
import { Listing, lowerBound } from './listing.js';
import { interleaved, Losers } from './losers.js';
import {
  intersection,
  NOTHING,
  type Ordered,
  POSTED_FIELDS,
  PostingLists,
  type Postings,
} from './postings.js';

export type { Entry } from './entry.js';

export interface Page {
  /** At most so many entries; all of them when absent. */
  readonly limit?: number | undefined;
  /** Only entries whose uri is greater. */
  readonly after?: string | undefined;
}

export interface Selection {
  readonly entries: Ordered;
  /** When the selection is the whole listing: it as a JSON array, in ready pieces. */
  readonly pieces?: readonly Uint8Array[];
  /** The `after` of the next page, when there is one. */
  readonly next?: string;
}

/** What the registry serves, in memory. Lists handed out are snapshots: later changes do not touch them. */
export interface Catalog {
  readonly size: number;
  get(uri: string): Entry | undefined;
  /** Matching entries in the order of their uris. */
  select(query: Query, page?: Page): Selection;
  /** How many components have each value of a field: of all, or of the selected ones. */
  counts(field: 'shapes' | 'tag', selected?: Ordered): ReadonlyMap<string, number>;
  /** Gets ready for `q`, in slices; without it, the first search does so in one go. */
  prepareSearch(): Promise<void>;
  /** Every description of a component: the winner first, then the others in order of precedence. */
  statements(uri: string): Ordered;
  /** The selected entries, each followed by the descriptions of its component that lost. A snapshot, too. */
  withLosers(selected: Ordered): Iterable<Entry>;
}

/** Keeps, for each component, who describes it, and serves the description that takes precedence. */
export class MemoryCatalog implements Catalog {
  readonly #precedence: Precedence;
  readonly #postings: Postings = {
    shapes: new PostingLists(),
    tag: new PostingLists(),
    author: new PostingLists(),
  };
  #listing = new Listing([]);
  #losers = new Losers([]);

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  get size(): number {
    return this.#listing.size;
  }

  get(uri: string): Entry | undefined {
    return this.#listing.get(uri);
  }

  statements(uri: string): Ordered {
    const winner = this.#listing.get(uri);
    return winner ? [winner, ...this.#losers.of(uri)] : NOTHING;
  }

  withLosers(selected: Ordered): Iterable<Entry> {
    return interleaved(selected, this.#losers);
  }

  select(query: Query, { limit = Number.POSITIVE_INFINITY, after }: Page = {}): Selection {
    const constrained = Object.values(query).some((value) => value !== undefined);
    const listing = this.#listing;
    if (!constrained && after === undefined && limit === Number.POSITIVE_INFINITY) return wholeOf(listing);
    const list = this.#candidates(query);
    const matches = testOf(query);
    const entries: Entry[] = [];
    for (const entry of list
      ? list.slice(after === undefined ? 0 : placeAfter(list, after))
      : listing.from(after)) {
      if (!matches(entry)) continue;
      const last = entries.at(-1);
      if (entries.length >= limit) return last ? { entries, next: last.uri } : { entries };
      entries.push(entry);
    }
    return { entries };
  }

  /** Works out what becomes of the catalog, in slices. Nothing else may change it until `apply`. */
  prepare(gone: Iterable<Entry>, come: Iterable<Draft>): Promise<CatalogChange> {
    const state = { listing: this.#listing, losers: this.#losers, postings: this.#postings };
    return changeOf(state, gone, come, this.#precedence, breather());
  }

  /** Makes the change, in one step that no reader sees half of. */
  apply({ listing, losers, lists, demoted }: CatalogChange): void {
    this.#listing = listing;
    this.#losers = losers;
    for (const entry of demoted) setApart(entry);
    listing.settle();
    for (const field of POSTED_FIELDS) this.#postings[field].swap(lists[field]);
  }

  counts(field: 'shapes' | 'tag', selected?: Ordered): ReadonlyMap<string, number> {
    const lists = this.#postings[field];
    if (selected === undefined || selected.length === this.size) return lists.counts();
    return selected.length > this.size / 8 ? lists.counts(new Set(selected)) : countsIn(selected, field);
  }

  async prepareSearch(): Promise<void> {
    const breathe = breather();
    for (const entry of this.#listing.from()) {
      entry.prepareSearch();
      await breathe();
    }
  }

  /** Takes over what is served in one go, before anybody reads. */
  load(listing: Listing, losers: Losers): void {
    this.#listing = listing;
    this.#losers = losers;
  }

  /** While loading: adds an entry behind all others to the lists by which it is found. */
  post(entry: Entry, facets: Facets): void {
    for (const field of POSTED_FIELDS) {
      for (const value of facets[field]) this.#postings[field].append(value, entry);
    }
  }

  /** A short list that holds everything that matches; `undefined` when only the listing does. */
  #candidates(query: Query): Ordered | undefined {
    if (query.uri !== undefined) return this.statements(query.uri).slice(0, 1);
    const lists: Ordered[] = [];
    for (const field of POSTED_FIELDS) {
      for (const value of new Set(query[field])) lists.push(this.#postings[field].get(value));
    }
    return lists.length > 0 ? intersection(lists) : undefined;
  }
}

/** Looks at what each entry says: for few of them. */
function countsIn(entries: Ordered, field: 'shapes' | 'tag'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of entries) {
    for (const value of metadata[field]) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function wholeOf(listing: Listing): Selection {
  let entries: Ordered | undefined;
  return {
    get entries() {
      entries ??= listing.entries();
      return entries;
    },
    pieces: listing.pieces(),
  };
}

/**
 * What candidates are tested for. Their lists have seen to shapes, tags and authors; `latest` and `version`
 * lie at hand; for texts, most candidates are ruled out by their bytes before any is parsed.
 */
function testOf(query: Query): (entry: Entry) => boolean {
  const { q, ...others } = query;
  const { uri, label, description, latest, version } = others;
  const tests: ((entry: Entry) => boolean)[] = [];
  if (latest !== undefined) tests.push((entry) => entry.latest === latest);
  if (version !== undefined) tests.push(versionTest(version));
  for (const [name, value] of Object.entries({ label, description })) {
    if (value === undefined) continue;
    const written = Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    tests.push((entry) => entry.includes(written));
  }
  if (uri !== undefined || label !== undefined || description !== undefined) {
    const matches = compileQuery(others);
    tests.push((entry) => matches(entry.metadata));
  }
  const words = searchWords(q ?? '');
  if (words.length > 0) tests.push(({ searchText }) => words.every((word) => searchText.includes(word)));
  return (entry) => tests.every((test) => test(entry));
}

/** Each version is compared with the range once, however many components have it. */
function versionTest(wanted: string): (entry: Entry) => boolean {
  const matches = compileVersion(wanted);
  const known = new Map<string, boolean>();
  return ({ version }) => {
    if (version === undefined) return false;
    const before = known.get(version);
    if (before !== undefined) return before;
    const result = matches(version);
    known.set(version, result);
    return result;
  };
}

function placeAfter(list: Ordered, uri: string): number {
  return lowerBound(list, (entry) => entry.uri > uri);
}
