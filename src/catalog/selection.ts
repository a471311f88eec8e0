import { LRUCache } from 'lru-cache';
import {
  compileQuery,
  matchesAll,
  type Query,
  type ResolvedQuery,
  resolveQuery,
} from '../component/query.js';
import type { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Breather } from '../lib/pace.js';
import { portions } from '../lib/portions.js';
import type { PageRequest } from './catalog.js';
import type { CatalogContents } from './catalog-change.js';
import { placeBehind } from './edited.js';
import { type Component, type Entry, entriesOf } from './entry.js';
import {
  type Components,
  intersection,
  NO_COMPONENTS,
  POSTED_FIELDS,
  type PostedField,
  union,
} from './postings.js';
import { KeptJson } from './ready-json.js';

/** Components that match a query, in the order of uris, as they were when it was asked. */
export interface Selection {
  readonly components: Components;
  /** The uri of the last one, when more follow. */
  readonly next?: string | undefined;
}

type Part = Pick<PageRequest, 'after' | 'limit'>;

/** The constraints that lists answer. */
const ANSWERED = ['uri', ...POSTED_FIELDS, 'namedShapes'] as const;
/** Searches by words whose matches are kept. */
const KEPT_SEARCHES = 10;
/** Entries that are handed out at a time. */
const SLICE = { items: 200, length: 200 };

/** Finds what matches a query in one state of the catalog. */
export class Finder {
  /** Of this state. */
  readonly kept = new KeptJson();
  readonly #contents: Pick<CatalogContents, 'listing' | 'index'>;
  readonly #turns: KeyedMutex;
  readonly #searches = new LRUCache<string, Promise<Components>>({ max: KEPT_SEARCHES });

  /**
   * @param contents their index is needed, once it is made, where something is asked for
   * @param turns searches by words come one after the other, whatever state they look through
   */
  constructor(contents: Pick<CatalogContents, 'listing' | 'index'>, turns: KeyedMutex) {
    this.#contents = contents;
    this.#turns = turns;
  }

  /**
   * To be called in the turn in which the state is the present one. Looks at no more than the shortest list that has all matches;
   * gives way to other work while it looks at one after the other.
   */
  async find(asked: Query, part: Part, breathe: Breather): Promise<Selection> {
    const query = resolveQuery(
      asked,
      (shape) => this.#contents.index.made?.postings.shapes.has(shape) ?? false,
    );
    const lists = await this.#lists(query, breathe);
    const found = lists.length > 0 ? await intersection(lists, breathe) : undefined;
    const matches = compileQuery(query, ANSWERED);
    if (matches === matchesAll && found) return partOf(found, part);
    if (query.q) return this.#search(query, found, matches, part, breathe);
    const candidates = found
      ? partOf(found, { after: part.after }).components
      : this.#contents.listing.from(part.after);
    return filtered(candidates, matches, breathe, part.limit);
  }

  /** All matches, however few are wanted: pages of one search follow one another, and repeat. */
  async #search(
    query: ResolvedQuery,
    found: Components | undefined,
    matches: (entry: Entry) => boolean,
    part: Part,
    breathe: Breather,
  ): Promise<Selection> {
    const key = JSON.stringify(query);
    let search = this.#searches.get(key);
    if (!search) {
      const look = () => filtered(found ?? this.#contents.listing.from(), matches, breathe);
      search = this.#turns.run('search', look).then(({ components }) => components);
      this.#searches.set(key, search);
    }
    return partOf(await search, part);
  }

  /** What meets the constraints that lists answer is in each of these. They are those of the turn in which this is called. */
  async #lists({ uri, namedShapes = [], ...query }: ResolvedQuery, breathe: Breather): Promise<Components[]> {
    const component = uri === undefined ? undefined : this.#contents.listing.get(uri);
    const lists: Components[] = uri === undefined ? [] : [component ? [component] : NO_COMPONENTS];
    for (const field of POSTED_FIELDS)
      for (const value of new Set(query[field])) lists.push(this.#listOf(field, value));
    const named = namedShapes.map((shapes) => shapes.map((shape) => this.#listOf('shapes', shape)));
    for (const some of named) lists.push(await union(some, breathe));
    return lists;
  }

  #listOf(field: PostedField, value: string): Components {
    return this.#contents.index.made?.postings[field].get(value) ?? NO_COMPONENTS;
  }
}

/** A part of a list. */
function partOf(components: Components, { after = '', limit = Number.POSITIVE_INFINITY }: Part): Selection {
  const from = placeBehind(components, after);
  const to = Math.min(from + limit, components.length);
  if (from === 0 && to === components.length) return { components };
  const some = components.slice(from, to);
  return { components: some, next: to < components.length ? some.at(-1)?.uri : undefined };
}

async function filtered(
  candidates: Iterable<Component>,
  matches: (entry: Entry) => boolean,
  breathe: Breather,
  limit = Number.POSITIVE_INFINITY,
): Promise<Selection> {
  const components: Component[] = [];
  for (const component of candidates) {
    const pause = breathe();
    if (pause) await pause;
    if (!matches(component.served)) continue;
    if (components.length >= limit) return { components, next: components.at(-1)?.uri };
    components.push(component);
  }
  return { components };
}

/** What is said of components, in lists of a few hundred. */
export async function* slices(
  components: Iterable<Component>,
  shadowed: boolean,
): AsyncGenerator<readonly Entry[]> {
  function* entries() {
    for (const component of components)
      if (shadowed) yield* entriesOf(component);
      else yield component.served;
  }
  yield* portions(entries(), () => 1, SLICE);
}
