import type { Naming } from '../component/naming.js';
import type { Query } from '../component/query.js';
import { type Source, sourceKey } from '../component/source.js';
import type { Cursor } from '../core/cursor.js';
import type { Sayings } from '../core/document-change.js';
import { type UnknownState, unknownState } from '../core/feed-window.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Pace } from '../lib/pace.js';
import type { Catalog, Changes, ChangesRequest, Counts, Feed, Page, PageRequest, State } from './catalog.js';
import { type CatalogContents, changeContents, type StatementEdit, type Swap } from './catalog-change.js';
import { changesIn } from './changes-in.js';
import { itemOf } from './edited.js';
import { documentKey, type Entry, entriesOf, NO_ENTRIES, statementKey } from './entry.js';
import { type AllPostings, type PostedField, postingsOf } from './postings.js';
import { jsonOfComponents, jsonOfListing, KeptJson } from './ready-json.js';
import type { RememberedStates } from './remembered-states.js';
import type { Removal } from './removal.js';
import { find, keptSearches, slices } from './selection.js';

/** Removals of one component that are told. */
const REMOVALS = 100;

/** What readers are told beside what the catalog holds; it counts components and removals itself. */
export interface Shown extends Pick<State, 'revision' | 'networkRevision' | 'network'> {
  readonly feed: Omit<Feed, 'tombstones'>;
  readonly states: Pick<RememberedStates, 'digestAt'>;
}

/**
 * What a registry serves, in memory: for each component who describes it, which description takes precedence, and what has changed.
 * It has one writer, who has a change worked out in slices (`prepare`) and shows it in one step (`show`). Lists that were handed out
 * are never changed, so a slow reader keeps the state that it began with.
 */
export class ComponentCatalog implements Catalog {
  readonly #pace: Pace;
  readonly #catchUp: (() => Promise<unknown>) | undefined;
  readonly #listeners = new Set<(state: State) => void>();
  readonly #turns = new KeyedMutex();
  #contents: CatalogContents;
  /** Of these contents. */
  #kept = new KeptJson();
  #searches = keptSearches(this.#turns);
  #shown: Shown;
  #state: State;

  /** @param catchUp shows what others have written up to now: a reader may come from a node that has shown it already */
  constructor(contents: CatalogContents, shown: Shown, pace: Pace, catchUp?: () => Promise<unknown>) {
    this.#pace = pace;
    this.#catchUp = catchUp;
    this.#contents = contents;
    this.#shown = shown;
    this.#state = this.#stateOf(shown);
  }

  // What readers ask.

  async state(known?: Pick<Cursor, 'epoch' | 'position'>): Promise<State> {
    const { revision, feed } = this.#state;
    if (known?.epoch === revision.epoch && known.position > feed.position) await this.#catchUp?.();
    return this.#state;
  }

  async page(query: Query, { limit, after, shadowed = false }: PageRequest = {}): Promise<Page> {
    const isAll = !isConstrained(query);
    while (!isAll && !this.#contents.index.made) await this.#contents.index.make();
    const state = this.#state;
    const { listing } = this.#contents;
    if (isAll && after === undefined && limit === undefined) {
      const json = shadowed ? undefined : jsonOfListing(listing);
      return { state, json, descriptions: () => slices(listing.from(), shadowed) };
    }
    const kept = this.#kept;
    const part = { after, limit };
    const { components, next } = await find(this.#contents, this.#searches, query, part, this.#pace());
    const json = shadowed ? undefined : jsonOfComponents(components, kept);
    return { state, next, json, descriptions: () => slices(components, shadowed) };
  }

  async statements(uri: string): Promise<readonly Entry[]> {
    return this.entriesOf(uri);
  }

  async said(source: Source, document: string): Promise<readonly Entry[]> {
    return this.sayings({ source, document }).said;
  }

  async removals(uri: string): Promise<readonly Removal[]> {
    const found: Removal[] = [];
    // In one go, which takes a few milliseconds: the map changes with each change that is shown.
    for (const removal of this.#contents.removals.values()) if (removal.uri === uri) found.push(removal);
    return found.slice(-REMOVALS);
  }

  async counts(query: Query, most = Number.POSITIVE_INFINITY): Promise<Counts> {
    while (!this.#contents.index.made) await this.#contents.index.make();
    const state = this.#state;
    let postings: AllPostings = this.#contents.index.made.postings;
    let total = this.#contents.listing.size;
    if (isConstrained(query)) {
      const breathe = this.#pace();
      const { components } = await find(this.#contents, this.#searches, query, {}, breathe);
      total = components.length;
      postings = await postingsOf(total <= most ? components : [], breathe);
    }
    const by = (field: PostedField) =>
      new Map([...postings[field]].map(([value, { length }]) => [value, length]));
    return { state, total, by: { shapes: by('shapes'), tag: by('tag'), author: by('author') } };
  }

  async served(): Promise<ReadonlyMap<string, number>> {
    const breathe = this.#pace();
    const counts = new Map<string, number>();
    for (const { served } of this.#contents.listing.from()) {
      const key = sourceKey(served.source);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const pause = breathe();
      if (pause) await pause;
    }
    return counts;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since } = request;
    await this.state(since);
    while (!this.#contents.index.made) await this.#contents.index.make();
    const { latest } = this.#contents.index.made;
    const state = this.#state;
    const unknown = since && unknownState(since, state, this.#shown.states.digestAt(since.position));
    if (unknown) return unknown;
    return changesIn(latest, state, request);
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // What the writer asks and does.

  /** In which answers are made. */
  get naming(): Naming {
    return this.#contents.naming;
  }

  /** Every entry about a component: the served one first, then the others by precedence. */
  entriesOf(uri: string): readonly Entry[] {
    const component = this.#contents.listing.get(uri);
    return component ? entriesOf(component) : [];
  }

  /** What a document says, in the order of uris. */
  sayings(name: Pick<Removal, 'source' | 'document'>): Sayings<Entry> {
    const said = this.#contents.documents.get(documentKey(name)) ?? NO_ENTRIES;
    return { said, find: (uri) => itemOf(said, uri) };
  }

  /** Is it remembered that the document describes the component no longer? */
  isRemoved(name: Pick<Removal, 'source' | 'document' | 'uri'>): boolean {
    return this.#contents.removals.has(statementKey(documentKey(name), name.uri));
  }

  /** The removals that are remembered, in the order of positions: that in which they came to the map. */
  get remembered(): ReadonlyMap<string, Removal> {
    return this.#contents.removals;
  }

  /** Works out a change, giving way to other work. Nothing else may be shown until it is. See `changeContents`. */
  prepare(edits: Iterable<StatementEdit>): Promise<Swap | undefined> {
    return changeContents(this.#contents, edits, this.#pace());
  }

  /** Shows readers another state, in one step: with other contents, or the same. */
  show(shown: Shown, swap?: Swap): void {
    if (swap) {
      this.#contents = swap();
      this.#kept = new KeptJson();
      this.#searches = keptSearches(this.#turns);
    }
    this.#shown = shown;
    this.#state = this.#stateOf(shown);
    for (const listener of this.#listeners) listener(this.#state);
  }

  #stateOf({ revision, networkRevision, network, feed }: Shown): State {
    const { naming, listing, removals } = this.#contents;
    const told = { ...feed, tombstones: removals.size };
    return { revision, networkRevision, network, naming, components: listing.size, feed: told };
  }
}

function isConstrained(query: Query): boolean {
  return Object.values(query).some((value) => value !== undefined);
}
