import { listingObject, type Naming } from '../component/codec.js';
import type { Metadata } from '../component/metadata.js';
import type { Precedence, Source } from '../component/precedence.js';
import { compileQuery, compileVersion, type Query } from '../component/query.js';
import { searchText } from '../component/search-text.js';
import type { Entry } from './entry.js';
import { byUri, merged, NOTHING, type Ordered, PostingLists, positionAfter } from './postings.js';

export type { Entry };

/** An entry with its listing object serialised. */
export function createEntry(
  metadata: Metadata,
  source: Source,
  document: string,
  naming: Naming,
  rank?: number,
): Entry {
  // Entries are made in slices; the first search would do this for all of them at once.
  searchText(metadata);
  return { metadata, source, document, rank, json: JSON.stringify(listingObject(metadata, naming)) };
}

export interface Page {
  /** At most so many entries; all of them when absent. */
  readonly limit?: number | undefined;
  /** Only entries whose uri is greater. */
  readonly after?: string | undefined;
}

export interface Selection {
  readonly entries: Ordered;
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
  /** Every description of a component: the winner first, then the others in order of precedence. */
  statements(uri: string): Ordered;
  /** The selected entries, each followed by the descriptions of its component that lost. A snapshot, too. */
  withLosers(selected: Ordered): Iterable<Entry>;
}

/** Keeps, for each component, who describes it, and serves the description that takes precedence. */
export class MemoryCatalog implements Catalog {
  readonly #precedence: Precedence;
  readonly #statements = new Map<string, Ordered>();
  readonly #postings = {
    shapes: new PostingLists(({ metadata }) => metadata.shapes),
    tag: new PostingLists(({ metadata }) => metadata.tag),
    author: new PostingLists(({ metadata }) => metadata.author),
    latest: new PostingLists(({ metadata }) => valueList(metadata.latest)),
    version: new PostingLists(({ metadata }) => valueList(metadata.version)),
  };
  #winners: Ordered = NOTHING;
  #losers: Ordered = NOTHING;

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  get size(): number {
    return this.#winners.length;
  }

  get(uri: string): Entry | undefined {
    return this.#statements.get(uri)?.[0];
  }

  statements(uri: string): Ordered {
    return this.#statements.get(uri) ?? NOTHING;
  }

  withLosers(selected: Ordered): Iterable<Entry> {
    return interleaved(selected, this.#losers);
  }

  select(query: Query, { limit = Number.POSITIVE_INFINITY, after }: Page = {}): Selection {
    const list = this.#shortestList(query);
    const start = after === undefined ? 0 : positionAfter(list, after);
    if (!isConstrained(query) && limit === Number.POSITIVE_INFINITY)
      return { entries: start === 0 ? list : list.slice(start) };
    const matches = compileQuery(query);
    const entries: Entry[] = [];
    for (let i = start; i < list.length; i++) {
      const entry = list[i] as Entry;
      if (!matches(entry.metadata)) continue;
      const last = entries.at(-1);
      if (entries.length >= limit) return last ? { entries, next: last.metadata.uri } : { entries };
      entries.push(entry);
    }
    return { entries };
  }

  counts(field: 'shapes' | 'tag', selected: Ordered = this.#winners): ReadonlyMap<string, number> {
    const lists = this.#postings[field];
    if (selected === this.#winners) {
      return new Map([...lists.values()].map((value) => [value, lists.get(value).length]));
    }
    const counts = new Map<string, number>();
    for (const { metadata } of selected) {
      for (const value of metadata[field]) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  }

  /** Takes statements out and in, in one step that no reader sees half of. */
  update(gone: Iterable<Entry>, come: Iterable<Entry>): void {
    const touched = new Map<string, Entry[]>();
    const statementsOf = (uri: string): Entry[] => {
      const list = touched.get(uri) ?? [...this.statements(uri)];
      touched.set(uri, list);
      return list;
    };
    for (const entry of gone) {
      const list = statementsOf(entry.metadata.uri);
      list.splice(list.indexOf(entry), 1);
    }
    for (const entry of come) statementsOf(entry.metadata.uri).push(entry);

    const winners = { gone: new Set<Entry>(), come: [] as Entry[] };
    const losers = { gone: new Set<Entry>(), come: [] as Entry[] };
    for (const [uri, list] of touched) {
      const [winnerBefore, ...losersBefore] = this.statements(uri);
      list.sort((one, other) => this.#compare(one, other));
      const [winner, ...others] = list;
      if (winner) this.#statements.set(uri, list);
      else this.#statements.delete(uri);
      for (const entry of losersBefore) losers.gone.add(entry);
      losers.come.push(...others);
      if (winnerBefore === winner) continue;
      if (winnerBefore) winners.gone.add(winnerBefore);
      if (winner) winners.come.push(winner);
    }
    this.#winners = merged(this.#winners, winners.gone, winners.come);
    this.#losers = merged(this.#losers, losers.gone, losers.come);
    for (const lists of Object.values(this.#postings)) lists.update(winners.gone, winners.come);
  }

  #compare(one: Entry, other: Entry): number {
    return (
      this.#precedence.compare(one.source, other.source) ||
      (one.rank ?? 0) - (other.rank ?? 0) ||
      (one.document < other.document ? -1 : one.document > other.document ? 1 : 0)
    );
  }

  /** The shortest list that surely holds everything that matches. */
  #shortestList(query: Query): Ordered {
    const { shapes, tag, author, latest, version } = this.#postings;
    const lists: Ordered[] = [];
    if (query.uri !== undefined) lists.push(this.statements(query.uri).slice(0, 1));
    for (const value of query.shapes ?? []) lists.push(shapes.get(value));
    for (const value of query.tag ?? []) lists.push(tag.get(value));
    for (const value of query.author ?? []) lists.push(author.get(value));
    if (query.latest !== undefined) lists.push(latest.get(String(query.latest)));
    if (query.version !== undefined && lists.length === 0)
      lists.push(this.#ofVersion(version, query.version));
    return lists.reduce((best, list) => (list.length < best.length ? list : best), this.#winners);
  }

  #ofVersion(postings: PostingLists, wanted: string): Ordered {
    const matches = compileVersion(wanted);
    const lists = [...postings.values()].filter(matches).map((value) => postings.get(value));
    return lists.length === 1 ? (lists[0] as Ordered) : lists.flat().sort(byUri);
  }
}

/** `others` has the entries of one component side by side and in order, as `selected` has its components. */
function* interleaved(selected: Ordered, others: Ordered): Generator<Entry> {
  let next = 0;
  for (const entry of selected) {
    yield entry;
    while (next < others.length && byUri(others[next] as Entry, entry) < 0) next++;
    for (; next < others.length && byUri(others[next] as Entry, entry) === 0; next++)
      yield others[next] as Entry;
  }
}

function isConstrained(query: Query): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

function valueList(value: string | boolean | undefined): readonly string[] {
  return value === undefined ? [] : [String(value)];
}
