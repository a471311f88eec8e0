import { indexedValues } from '../../../component/canonical-shape.js';
import type { Metadata } from '../../../component/metadata.js';
import {
  compileQuery,
  matchesAll,
  type Query,
  type ResolvedQuery,
  resolveQuery,
} from '../../../component/query.js';
import { lowerBound } from '../../../lib/lower-bound.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import type { CountedField } from '../../../registry/counts.js';
import { type BlockSpace, IN_MEMORY } from '../listing/block-space.js';
import { type Block, type Entry, NOTHING, type Ordered } from '../listing/entry.js';
import { Listing } from '../listing/listing.js';
import { ShadowedStatements } from '../listing/shadowed.js';
import { type CatalogChange, changeOf, type Draft } from './catalog-change.js';
import { countValues, type Subset } from './counting.js';
import {
  intersection,
  POSTED_FIELDS,
  type PostedField,
  PostingLists,
  type Postings,
  union,
} from './postings.js';

/** Served entries that match a query, as they were when it was asked. */
export interface Selection {
  readonly entries: Ordered;
  /** The uri of the last entry, when more follow. */
  readonly next?: string;
  /** The posting list that these entries are: the same object until it changes. */
  readonly list?: Ordered | undefined;
}

/** What a catalog holds. */
export interface CatalogContents {
  readonly blocks: readonly Block[];
  /** How many entries the blocks have. */
  readonly served: number;
  readonly shadowed: Ordered;
  readonly lists: Readonly<Record<PostedField, readonly (readonly [value: string, entries: Ordered])[]>>;
}

/**
 * What the registry serves, in memory: for each component, who describes it, and which description takes
 * precedence. Lists handed out are snapshots: later changes do not touch them.
 */
export class CatalogIndex {
  readonly #postings: Postings = {
    shapes: new PostingLists(),
    tag: new PostingLists(),
    author: new PostingLists(),
  };
  readonly #space: BlockSpace;
  #listing = new Listing([]);
  #shadowed = new ShadowedStatements([]);
  /** The listing whose entries are all ready for searches by words. */
  #searchable: Listing | undefined;
  #counted: { listing: Listing; bySource: Promise<ReadonlyMap<string, number>> } | undefined;

  constructor(space: BlockSpace) {
    this.#space = space;
  }

  get size(): number {
    return this.#listing.size;
  }

  get listing(): Listing {
    return this.#listing;
  }

  get shadowed(): ShadowedStatements {
    return this.#shadowed;
  }

  /** Every entry about a component: the served one first, then the others by precedence. */
  statements(uri: string): Ordered {
    const served = this.#listing.get(uri);
    return served ? [served, ...this.#shadowed.of(uri)] : NOTHING;
  }

  /** The served entries that match, after a uri and at most so many, as they are now. Gives way to other work. */
  select(
    asked: Query,
    breathe: Breather,
    after?: string,
    limit = Number.POSITIVE_INFINITY,
  ): Selection | Promise<Selection> {
    const query = resolveQuery(asked, (shape) => this.#postings.shapes.get(shape).length > 0);
    const { found, list, answered } = this.#candidates(query);
    const matches = compileQuery(query, answered);
    // Most queries are answered by one posting list, which is never changed and so need not be copied.
    if (found && matches === matchesAll && after === undefined && limit >= found.length)
      return { entries: found, list };
    const candidates = found
      ? found.slice(after === undefined ? 0 : placeAfter(found, after))
      : this.#listing.from(after);
    return matching(candidates, matches, limit, breathe);
  }

  /**
   * How many of these entries (of all, when absent) have each value of a field, as it is now. Gives way to other work
   * where it looks at many entries.
   */
  counts(
    field: CountedField,
    breathe: Breather,
    among?: Subset,
  ): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>> {
    const entries = among?.entries;
    const all = entries === undefined || entries.length === this.size;
    if (field === 'source') return all ? this.#sourceCounts(breathe) : countValues(entries, field, breathe);
    const lists = this.#postings[field];
    if (all) return lists.counts();
    const isMost = among && entries.length > this.size / 8;
    return isMost ? lists.countsAmong(among, breathe) : countValues(entries, field, breathe);
  }

  /** Counted once in each state: the status asks for it. */
  #sourceCounts(breathe: Breather): Promise<ReadonlyMap<string, number>> {
    const listing = this.#listing;
    if (this.#counted?.listing !== listing) {
      this.#counted = { listing, bySource: countValues(listing.from(), 'source', breathe) };
    }
    return this.#counted.bySource;
  }

  /** Works out what becomes of the catalog, in slices. Nothing else may change it until `apply`. @throws StorageFailure */
  prepare(gone: Iterable<Entry>, come: Iterable<Draft>, breathe: Breather): Promise<CatalogChange> {
    this.#space.begin();
    const [listing, shadowed, postings, space] = [this.#listing, this.#shadowed, this.#postings, this.#space];
    return changeOf({ listing, shadowed, postings, space }, gone, come, breathe);
  }

  /** Makes the change, in one step that no reader sees half of. */
  apply({ listing, shadowed, lists, withdrawn, left }: CatalogChange): void {
    const { blocks: before } = this.#listing;
    this.#listing = listing;
    this.#shadowed = shadowed;
    for (const { entry, block } of withdrawn) entry.moveTo(block, 1);
    listing.place();
    this.#space.settle([...left, ...before.filter((block) => listing.blocks[block.place] !== block)]);
    for (const field of POSTED_FIELDS) this.#postings[field].swap(lists[field]);
  }

  /** Gets ready for searches by words, in slices, where the listing is in memory: what they look through is kept, too. */
  async prepareSearch(pace: Pace): Promise<void> {
    const listing = this.#listing;
    if (this.#searchable === listing || this.#space !== IN_MEMORY) return;
    const breathe = pace();
    for (const entry of listing.from()) {
      entry.prepareSearch();
      await breathe();
    }
    this.#searchable = listing;
  }

  /** Takes over what is served in one go, before anybody reads. */
  load(listing: Listing, shadowed: ShadowedStatements, lists?: CatalogChange['lists']): void {
    this.#listing = listing;
    this.#shadowed = shadowed;
    this.#space.settle([]);
    if (lists) for (const field of POSTED_FIELDS) this.#postings[field].swap(lists[field]);
  }

  /** Everything as it is now, for a snapshot: none of it changes, whatever is applied later. */
  get contents(): CatalogContents {
    const { shapes, tag, author } = this.#postings;
    return {
      blocks: this.#listing.blocks,
      served: this.size,
      shadowed: this.#shadowed.entries,
      lists: { shapes: shapes.all, tag: tag.all, author: author.all },
    };
  }

  /** While loading: adds an entry behind all others to the lists by which it is found. */
  post(entry: Entry, metadata: Metadata): void {
    for (const field of POSTED_FIELDS) {
      for (const value of indexedValues(metadata, field)) this.#postings[field].append(value, entry);
    }
  }

  /** A short list that holds everything that matches, where there is one, and the constraints that it meets. */
  #candidates(query: ResolvedQuery): {
    found?: Ordered | undefined;
    list?: Ordered | undefined;
    answered: readonly (keyof ResolvedQuery)[];
  } {
    if (query.uri !== undefined) return { found: this.statements(query.uri).slice(0, 1), answered: ['uri'] };
    const lists: Ordered[] = [];
    for (const field of POSTED_FIELDS) {
      for (const value of new Set(query[field])) lists.push(this.#postings[field].get(value));
    }
    for (const shapes of query.namedShapes ?? []) {
      lists.push(union(shapes.map((shape) => this.#postings.shapes.get(shape))));
    }
    return {
      found: lists.length > 0 ? intersection(lists) : undefined,
      list: lists.length === 1 ? lists[0] : undefined,
      answered: [...POSTED_FIELDS, 'namedShapes'],
    };
  }
}

async function matching(
  candidates: Iterable<Entry>,
  matches: (entry: Entry) => boolean,
  limit: number,
  breathe: Breather,
): Promise<Selection> {
  const entries: Entry[] = [];
  for (const entry of candidates) {
    const pause = breathe();
    if (pause) await pause;
    if (!matches(entry)) continue;
    const last = entries.at(-1);
    if (entries.length >= limit) return last ? { entries, next: last.uri } : { entries };
    entries.push(entry);
  }
  return { entries };
}

function placeAfter(list: Ordered, uri: string): number {
  return lowerBound(list, (entry) => entry.uri > uri);
}
