import type { Query } from '../../component/query.js';
import type { UnknownState } from '../../core/feed-window.js';
import { unknownState } from '../../core/feed-window.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Changes, ChangesRequest } from '../../registry/changes.js';
import type { CountedField, Counts } from '../../registry/counts.js';
import type { Description } from '../../registry/description.js';
import type { Page, PageRequest } from '../../registry/page.js';
import type { State } from '../../registry/state.js';
import type { CatalogIndex } from './catalog/catalog-index.js';
import { Subset } from './catalog/counting.js';
import { JsonOfEntries, jsonOfListing } from './catalog/ready-json.js';
import type { ChangeLog } from './changes/change-log.js';
import type { Published } from './changes/change-writer.js';
import { changesIn } from './changes/changes-in.js';
import type { Sources } from './disk-source.js';
import type { Entry, Ordered } from './listing/entry.js';
import type { Listing } from './listing/listing.js';
import { withShadowed } from './listing/shadowed.js';

/** Entries that are handed out at a time. */
const SLICE = 200;

export interface DiskCatalogParts {
  readonly sources: Sources;
  readonly index: CatalogIndex;
  readonly log: ChangeLog;
  /** The first digits of `Feed.digest` at a position, where a state is remembered. */
  readonly stateAt: (position: number) => Promise<string | undefined>;
  readonly published: Published;
  readonly pace: Pace;
}

/** Answers from the index in memory. What the disk holds is read at the start; for a request, only the former states. */
export class DiskCatalog implements Catalog {
  readonly #sources: Sources;
  readonly #index: CatalogIndex;
  readonly #pace: Pace;
  readonly #log: ChangeLog;
  readonly #stateAt: DiskCatalogParts['stateAt'];
  readonly #listeners = new Set<(state: State) => void>();
  #published: Published;

  constructor({ sources, index, log, stateAt, published, pace }: DiskCatalogParts) {
    this.#sources = sources;
    this.#index = index;
    this.#log = log;
    this.#stateAt = stateAt;
    this.#published = published;
    this.#pace = pace;
  }

  async state(): Promise<State> {
    return this.#published.state;
  }

  async page(query: Query, { limit, after, shadowed = false, document }: PageRequest = {}): Promise<Page> {
    if (document) return this.#documentPage(document, after, limit);
    if (query.q !== undefined) await this.#index.prepareSearch(this.#pace);
    const { state } = this.#published;
    const constrained = Object.values(query).some((value) => value !== undefined);
    if (!constrained && after === undefined && limit === undefined) return this.#wholePage(state, shadowed);
    const { entries, next, list } = await this.#index.select(query, this.#pace(), after, limit);
    const { descriptions, json } = this.#pageOf(entries, shadowed, list);
    return { state, next, descriptions, json };
  }

  async statements(uri: string): Promise<Ordered> {
    return this.#index.statements(uri);
  }

  async counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    if (query.q !== undefined) await this.#index.prepareSearch(this.#pace);
    const constrained = Object.values(query).some((value) => value !== undefined);
    const breathe = this.#pace();
    const among = constrained ? new Subset((await this.#index.select(query, breathe)).entries) : undefined;
    const total = among?.entries.length ?? this.#index.size;
    // All of them begin to count in this turn, so that they count the same state.
    const counted = fields.map((field) => this.#index.counts(field, breathe, among));
    const by = (await Promise.all(counted)).map((counts, i) => [fields[i], counts] as const);
    return { total, by: Object.fromEntries(by) as Counts<F>['by'] };
  }

  async network(): Promise<NetworkLists> {
    return this.#published.network;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since } = request;
    const digest = since && (await this.#stateAt(since.position));
    const { state } = this.#published;
    const unknown = since && unknownState(since, state, digest);
    const told = { log: this.#log, statements: (uri: string) => this.#index.statements(uri) };
    return unknown ?? changesIn(told, state, request);
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get published(): Published {
    return this.#published;
  }

  /** Shows readers a new state, whose index has just been changed in the same turn. */
  set published(published: Published) {
    this.#published = published;
    for (const listener of this.#listeners) listener(published.state);
  }

  async #documentPage(
    { source, url }: NonNullable<PageRequest['document']>,
    after = '',
    limit = Number.POSITIVE_INFINITY,
  ): Promise<Page> {
    const { state } = this.#published;
    const { listing } = this.#index;
    const breathe = this.#pace();
    const named: { readonly uri: string; readonly entry: Entry }[] = [];
    for (const entry of [...(this.#sources.get(source)?.documents.get(url)?.entries ?? [])]) {
      const { uri } = entry;
      if (uri > after) named.push({ uri, entry });
      await breathe();
    }
    const sorted = await sortedBy(named, ({ uri }) => uri, breathe);
    const shown = sorted.slice(0, limit);
    const next = sorted.length > shown.length ? shown.at(-1)?.uri : undefined;
    return { state, next, descriptions: () => slices(saidBy(shown, listing)) };
  }

  #wholePage(state: State, shadowed: boolean): Page {
    const { listing, shadowed: statements } = this.#index;
    return {
      state,
      descriptions: () => slices(shadowed ? withShadowed(listing.from(), statements) : listing.from()),
      json: shadowed ? undefined : jsonOfListing(listing),
    };
  }

  #pageOf(entries: Ordered, shadowed: boolean, list?: Ordered): Pick<Page, 'descriptions' | 'json'> {
    if (!shadowed) return { descriptions: () => slices(entries), json: new JsonOfEntries(entries, list) };
    const statements = this.#index.shadowed;
    return { descriptions: () => slices(withShadowed(entries, statements)) };
  }
}

/** Entries, each with whether it is the served one. */
function* saidBy(
  named: Iterable<{ readonly uri: string; readonly entry: Entry }>,
  listing: Listing,
): Generator<Description> {
  for (const { uri, entry } of named) yield listing.get(uri) === entry ? entry : notServed(entry);
}

/** Its metadata are parsed when they are asked for, as those of the entry are: a list of large ones took seconds in one piece. */
function notServed(entry: Entry): Description {
  const { origin, since, pin } = entry;
  return {
    ...origin.standing,
    ...{ since, pin, isShadowed: true },
    get metadata() {
      return entry.metadata;
    },
  };
}

async function* slices<D extends Description>(entries: Iterable<D>): AsyncGenerator<D[]> {
  let slice: D[] = [];
  for (const entry of entries) {
    slice.push(entry);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
