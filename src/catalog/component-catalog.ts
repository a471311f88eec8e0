import type { Naming } from '../component/naming.js';
import type { Query } from '../component/query.js';
import { type Source, sourceKey } from '../component/source.js';
import type { Cursor } from '../core/cursor.js';
import { outlived, type UnknownState, unknownState } from '../core/feed-window.js';
import type { NetworkLists } from '../core/network-lists.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Pace } from '../lib/pace.js';
import type {
  Catalog,
  Changes,
  ChangesRequest,
  CountedField,
  Counts,
  Feed,
  Page,
  PageRequest,
  State,
} from './catalog.js';
import { type CatalogChange, type ChangedContents, changedContents } from './catalog-change.js';
import { LazyIndex } from './catalog-index.js';
import type { LoadedContents } from './catalog-loader.js';
import { changesIn } from './changes-in.js';
import { countsIn } from './counting.js';
import { type DocumentStatements, NO_STATEMENTS, type Removal } from './documents.js';
import { behind } from './edited.js';
import { documentKey, type Entry, entriesOf } from './entry.js';
import { Listing } from './listing.js';
import { type Components, POSTED_FIELDS } from './postings.js';
import { jsonOfComponents, jsonOfListing, type KeptJson } from './ready-json.js';
import type { RememberedStates } from './remembered-states.js';
import { Finder, type Selection, slices } from './selection.js';

/** What readers are told beside what the catalog holds; it counts components and removals itself. */
export interface Shown extends Pick<State, 'revision' | 'networkRevision'> {
  readonly feed: Omit<Feed, 'tombstones'>;
  readonly network: NetworkLists;
  readonly states: Pick<RememberedStates, 'digestAt'>;
}

/**
 * What a registry serves, in memory: for each component who describes it, which description takes precedence, and what has changed.
 * It has one writer, who has a change worked out in slices (`prepare`) and shows it in one step (`show`). Lists that were handed out
 * are never changed, so a slow reader keeps the state that it began with.
 */
export class ComponentCatalog implements Catalog {
  #naming: Naming;
  readonly #pace: Pace;
  readonly #listeners = new Set<(state: State) => void>();
  readonly #searches = new KeyedMutex();
  #documents = new Map<string, DocumentStatements>();
  #removals: readonly Removal[] = [];
  #listing = new Listing([]);
  #index: LazyIndex;
  #finder: Finder;
  #network: NetworkLists;
  #states: Shown['states'];
  #state: State;

  constructor(naming: Naming, pace: Pace, { network, states, feed, ...shown }: Shown) {
    this.#naming = naming;
    this.#pace = pace;
    this.#index = new LazyIndex(this.#listing, pace);
    this.#finder = new Finder(this.#listing, this.#index, this.#searches);
    this.#network = network;
    this.#states = states;
    this.#state = { ...shown, naming, components: 0, feed: { ...feed, tombstones: 0 } };
  }

  // What readers ask.

  async state(known?: Pick<Cursor, 'epoch' | 'position'>): Promise<State> {
    const { revision, feed } = this.#state;
    if (known?.epoch === revision.epoch && known.position > feed.position) await this.catchUp();
    return this.#state;
  }

  async page(query: Query, request: PageRequest = {}): Promise<Page> {
    const { limit, after, shadowed = false } = request;
    const isConstrained = Object.values(query).some((value) => value !== undefined);
    while (isConstrained && !this.#index.made) await this.#index.make();
    const state = this.#state;
    const listing = this.#listing;
    if (!isConstrained && after === undefined && limit === undefined) {
      const json = shadowed ? {} : { json: jsonOfListing(listing) };
      return { state, descriptions: () => slices(listing.from(), shadowed), ...json };
    }
    const finder = this.#finder;
    const selection = await finder.find(query, { after, limit }, this.#pace());
    return pageOf(state, selection, shadowed, finder.kept);
  }

  async statements(uri: string): Promise<readonly Entry[]> {
    return this.entriesOf(uri);
  }

  async said(source: Source, document: string): Promise<readonly Entry[]> {
    return this.document(documentKey({ source, document })).said;
  }

  async removals(uri: string): Promise<readonly Removal[]> {
    const breathe = this.#pace();
    const removals: Removal[] = [];
    for (const removal of this.#removals) {
      if (removal.uri === uri) removals.push(removal);
      await breathe();
    }
    return removals;
  }

  async counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    while (!this.#index.made) await this.#index.make();
    const { postings } = this.#index.made;
    const [listing, breathe] = [this.#listing, this.#pace()];
    const isConstrained = Object.values(query).some((value) => value !== undefined);
    if (isConstrained) {
      const { components } = await this.#finder.find(query, {}, breathe);
      return { total: components.length, by: await countsIn(components, fields, breathe) };
    }
    const asked: readonly CountedField[] = fields;
    const wanted = POSTED_FIELDS.filter((field) => asked.includes(field));
    const posted = wanted.map((field) => [field, lengthsOf(postings[field])]);
    const others = fields.filter((field) => field === 'source');
    const by = { ...Object.fromEntries(posted), ...(await countsIn(listing.from(), others, breathe)) };
    return { total: listing.size, by };
  }

  async network(): Promise<NetworkLists> {
    return this.#network;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since } = request;
    await this.state(since);
    while (!this.#index.made) await this.#index.make();
    const { entries } = this.#index.made;
    const state = this.#state;
    const unknown = since && unknownState(since, state, this.#states.digestAt(since.position));
    if (unknown) return unknown;
    return changesIn({ entries, removals: this.#removals }, state, request);
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // What the writer asks and does.

  /** Shows what others have written up to now: a reader may come from a node that has shown it already. */
  catchUp: () => Promise<unknown> = async () => undefined;

  /** In which answers are made. */
  get naming(): Naming {
    return this.#naming;
  }

  /** Every entry about a component: the served one first, then the others by precedence. */
  entriesOf(uri: string): readonly Entry[] {
    const component = this.#listing.get(uri);
    return component ? entriesOf(component) : [];
  }

  /** @param key see `documentKey` */
  document(key: string): DocumentStatements {
    return this.#documents.get(key) ?? NO_STATEMENTS;
  }

  /** What each document of a source says. */
  documentsOf(source: Source): readonly { readonly document: string; readonly said: readonly Entry[] }[] {
    const beginning = `${sourceKey(source)} `;
    return [...this.#documents].flatMap(([key, { said }]) =>
      key.startsWith(beginning) && said.length > 0 ? [{ document: key.slice(beginning.length), said }] : [],
    );
  }

  /** The removals up to a position. */
  removalsUntil(position: number): readonly Removal[] {
    const [first] = behind(this.#removals, position);
    return first ? this.#removals.slice(0, this.#removals.indexOf(first)) : this.#removals;
  }

  /** The removals that need not be remembered any more, the oldest first. @param statements how many there are */
  outlivedRemovals(asked: { readonly statements: number; readonly now: number }): readonly Removal[] {
    return outlived(this.#removals, { count: this.#removals.length, ...asked });
  }

  /** Works out a change, giving way to other work. Nothing else may be shown until it is. */
  async prepare(change: CatalogChange): Promise<ChangedContents> {
    while (!this.#index.made) await this.#index.make();
    const contents = { listing: this.#listing, documents: this.#documents, removals: this.#removals };
    return changedContents(contents, this.#index.made, change, this.#naming, this.#pace());
  }

  /** Shows readers another state, in one step: with other contents, or the same. */
  show({ network, states, feed, ...shown }: Shown, changed?: ChangedContents): void {
    if (changed) this.#apply(changed);
    this.#network = network;
    this.#states = states;
    const state = {
      ...shown,
      naming: this.#naming,
      components: this.#listing.size,
      feed: { ...feed, tombstones: this.#removals.length },
    };
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  /** Takes over what a start has read, in the place of everything. To be followed by `show` in the same turn. */
  load({ naming, listing, index, documents, removals, late }: LoadedContents): void {
    this.#naming = naming;
    this.#index = index;
    this.#documents = documents;
    this.#removals = removals;
    this.#place(listing);
    if (late) this.#apply(late);
  }

  /** Nothing here throws: what readers see is changed whole. */
  #apply({ listing, postings, documents, entries, removals }: ChangedContents): void {
    const index = this.#index.made;
    for (const field of POSTED_FIELDS) {
      for (const [value, components] of postings[field]) {
        if (components.length === 0) index?.postings[field].delete(value);
        else index?.postings[field].set(value, components);
      }
    }
    for (const [key, statements] of documents) {
      const isEmpty = statements.said.length + statements.removed.length === 0;
      if (isEmpty) this.#documents.delete(key);
      else this.#documents.set(key, statements);
    }
    if (index) index.entries = entries;
    this.#removals = removals;
    this.#place(listing);
  }

  #place(listing: Listing): void {
    this.#listing = listing;
    this.#finder = new Finder(listing, this.#index, this.#searches);
  }
}

function lengthsOf(postings: ReadonlyMap<string, Components>): ReadonlyMap<string, number> {
  return new Map([...postings].map(([value, { length }]) => [value, length]));
}

function pageOf(
  state: State,
  { components, next, isPosted }: Selection,
  shadowed: boolean,
  kept: KeptJson,
): Page {
  const json = shadowed ? {} : { json: jsonOfComponents(components, isPosted ? kept : undefined) };
  const more = next === undefined ? {} : { next };
  return { state, ...more, descriptions: () => slices(components, shadowed), ...json };
}
