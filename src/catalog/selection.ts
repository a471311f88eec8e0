import { LRUCache } from 'lru-cache';
import { canonicalShapes } from '../component/canonical-shape.js';
import { compileQuery, matchesAll, type Query } from '../component/query.js';
import type { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Breather } from '../lib/pace.js';
import { portions } from '../lib/portions.js';
import type { Page, PageRequest } from './catalog.js';
import type { CatalogContents } from './catalog-change.js';
import { placeBehind } from './edited.js';
import { type Component, type Entry, entriesOf } from './entry.js';
import { type Components, intersection, NO_COMPONENTS, POSTED_FIELDS, type PostedField } from './postings.js';

/** Components that match a query, in the order of uris, as they were when it was asked; `next`: the last one, when more follow. */
type Selection = Pick<Page, 'next'> & { readonly components: Components };

type Part = Pick<PageRequest, 'after' | 'limit'>;

/** Searches for words whose matches are kept. */
const KEPT_SEARCHES = 10;
/** Entries that are handed out at a time. */
const SLICE = { items: 200, length: 200 };

/** All matches of the latest searches for words, in one state of the catalog. */
type Searches = LRUCache<string, Promise<Components>, () => Promise<Components>>;

/** @param turns searches for words come one after the other, in whatever state of the catalog */
export function keptSearches(turns: KeyedMutex): Searches {
  return new LRUCache({
    max: KEPT_SEARCHES,
    memoMethod: (_query, _stale, { context: look }) => turns.run('search', look),
  });
}

/**
 * What matches a query. Looks at no more than the shortest list that has all matches, and no farther than a part needs, but where it
 * is asked for words: pages of a search follow one another, repeat, and come with counts. Gives way to other work while it looks at
 * one after the other.
 * @param contents of the turn in which this is called, with their index where anything is asked for
 * @param searches in these contents
 */
export async function find(
  { listing, index }: Pick<CatalogContents, 'listing' | 'index'>,
  searches: Searches,
  asked: Query,
  part: Part,
  breathe: Breather,
): Promise<Selection> {
  const listOf = (field: PostedField, value: string) => index.made?.postings[field].get(value);
  const { uri, shapes = [] } = asked;
  const query = { ...asked, shapes: canonicalShapes(shapes) };
  // What meets the constraints that lists answer is in each of these.
  const lists: Components[] = [];
  const component = uri === undefined ? undefined : listing.get(uri);
  if (uri !== undefined) lists.push(component ? [component] : NO_COMPONENTS);
  for (const field of POSTED_FIELDS)
    for (const value of new Set(query[field])) lists.push(listOf(field, value) ?? NO_COMPONENTS);
  const found = lists.length > 0 ? await intersection(lists, breathe) : undefined;
  const matches = compileQuery(query);
  if (found && matches === matchesAll) return partOf(found, part);
  if (query.q) {
    const look = async () => (await filtered(found ?? listing.from(), matches, breathe)).components;
    return partOf(await searches.memo(JSON.stringify(query), { context: look }), part);
  }
  const candidates = found ? partOf(found, { after: part.after }).components : listing.from(part.after);
  return filtered(candidates, matches, breathe, part.limit);
}

/** A part of a list. */
function partOf(components: Components, { after, limit = Number.POSITIVE_INFINITY }: Part): Selection {
  const from = after === undefined ? 0 : placeBehind(components, after);
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
