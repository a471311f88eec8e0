import { indexedValues } from '../../../component/canonical-shape.js';
import { fold } from '../../../component/search-text.js';
import { isUnusable, moduleState } from '../../../core/module-health.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import { descending, sortedBy } from '../../../lib/sort.js';
import type { Catalog } from '../../../registry/catalog.js';
import { type Description, withMetadata } from '../../../registry/description.js';
import type { Page } from '../../../registry/page.js';
import { type ModuleLooksParts, moduleLooks } from '../../matching/module-looks.js';
import { PerRevision } from '../../per-revision.js';
import { groupVersions, updatedAt, type VersionGroup } from '../../versions/version-groups.js';
import { correctedWords, knownWords, wordsIn } from './did-you-mean.js';
import { newest } from './newest.js';
import { relevanceOf } from './relevance.js';
import { ENTRIES, type Results, VALUES, type ValueCounts } from './results-view.js';
import {
  isEmpty,
  LISTS,
  type ListName,
  orderOf,
  queryOf,
  readSearch,
  type Search,
  searchParameters,
} from './search.js';

/**
 * Most matches that are read whole, to put versions together and to sort them: 20,000 take half a second, once after each
 * change. More are listed in the order of the catalog, which reads only those on the page.
 */
const SORTED = 30_000;
/** Searches whose matches are kept for their other pages. */
const KEPT = 4;

/** What a search found, for all of its pages. */
interface Found {
  readonly matches: number;
  readonly isTotalCapped?: boolean;
  readonly values: Results['values'];
  readonly areValuesCapped?: boolean;
  /** In the order that was asked for; absent where there are too many. */
  readonly groups?: readonly VersionGroup[];
  /** Of their heads: engines may read them anew each time. */
  readonly uris?: readonly string[];
  /** The words in the names of all components, where all were looked for. */
  readonly names?: ReadonlySet<string>;
}

export interface ResultsParts extends ModuleLooksParts {
  readonly catalog: Catalog;
  readonly pace: Pace;
}

/** Finds what a search looks for, one page of it at a time. `field`: of which all values are wanted, and no others. */
export type SearchResults = (search: Search, field?: ListName) => Promise<Results>;

/** @param most matches that are read whole */
export function searchResults(parts: ResultsParts, most = parts.catalog.readable ?? SORTED): SearchResults {
  const { catalog, pace, ...modules } = parts;
  const kept = new PerRevision<Found>(KEPT);
  const foundFor = async (search: Search, field?: ListName) => {
    const { revision } = await catalog.state();
    const key = `${field} ${searchParameters(search)}`;
    return kept.get(revision, key, () => find(search, { catalog, pace, most, field }));
  };
  /** The search as it was probably meant, where it finds nothing as it is. */
  const meant = async (search: Search): Promise<string | undefined> => {
    const q = correctedWords(search.q, knownWords(await foundFor(readSearch(new URLSearchParams()))));
    if (q === undefined) return undefined;
    return (await catalog.counts(queryOf({ ...search, q }), [])).total > 0 ? q : undefined;
  };
  return async (search, field) => {
    const found = await foundFor(search, field);
    const { groups, uris = [], names: _, ...counted } = found;
    const from = (search.page - 1) * ENTRIES;
    const looks = (shown: readonly VersionGroup[]) =>
      moduleLooks(
        shown.map(({ head }) => head),
        modules,
      );
    if (groups) {
      const inOrder = orderOf(search) === 'relevance' ? brokenLast(groups, uris, modules.reports) : groups;
      const shown = inOrder.slice(from, from + ENTRIES);
      const isMissed = groups.length === 0 && search.q !== '';
      return {
        ...counted,
        entries: groups.length,
        isSorted: true,
        areGrouped: true,
        shown,
        looks: await looks(shown),
        meant: isMissed ? await meant(search) : undefined,
      };
    }
    const isSorted = orderOf(search) === 'newest';
    const { listed, next } = from < most || search.after ? await neighbours(search, from) : { listed: [] };
    const shown = groupVersions(listed);
    const about = { entries: counted.matches, isSorted, areGrouped: false, next };
    return { ...counted, ...about, shown, looks: await looks(shown) };
  };

  /** Entries that are not sorted: behind the last one of the page before, where that is known. */
  async function neighbours(search: Search, from: number) {
    const until = from + ENTRIES;
    if (orderOf(search) === 'newest')
      return { listed: (await newest(catalog, queryOf(search), until)).slice(from) };
    const { after } = search;
    const page = await catalog.page(queryOf(search), after ? { limit: ENTRIES, after } : { limit: until });
    return {
      listed: await stretch(page, after ? 0 : from, ENTRIES),
      next: until < most ? undefined : page.next,
    };
  }
}

/** What no host could run comes after all that works; whether it can be had changes without a revision. */
function brokenLast(
  groups: readonly VersionGroup[],
  uris: readonly string[],
  { moduleFailure }: ModuleLooksParts['reports'],
): readonly VersionGroup[] {
  const isBroken = ({ head }: VersionGroup, i: number) =>
    isUnusable(moduleState(head.pin, moduleFailure(uris[i] ?? '')));
  const broken = new Set(groups.filter(isBroken));
  return broken.size === 0 ? groups : [...groups.filter((one) => !broken.has(one)), ...broken];
}

async function find(
  search: Search,
  {
    catalog,
    pace,
    most,
    field,
  }: Pick<ResultsParts, 'catalog' | 'pace'> & { readonly most: number; readonly field: ListName | undefined },
): Promise<Found> {
  const query = queryOf(search);
  const breathe = pace();
  // Counting is cheaper than reading more than can be sorted.
  const { total, isTotalCapped = false } = await catalog.counts(query, []);
  if (total > most || isTotalCapped) {
    const counted = await (field ? catalog.counts(query, [field]) : catalog.counts(query, LISTS, VALUES));
    const { by, areValuesCapped = false } = counted;
    return { matches: total, isTotalCapped, values: await inOrder(by, breathe), areValuesCapped };
  }
  const matching = await stretch(await catalog.page(query), 0, most);
  const read = await readAll(matching, breathe);
  const together = groupVersions(read.keys());
  const by = await countValues(together, breathe);
  const groups = await sorted(together, search, breathe);
  const names = isEmpty(search)
    ? new Set(groups.flatMap(({ head }) => wordsIn(head.metadata.label)))
    : undefined;
  // The metadata that was read is not kept: an engine reads it again for the few entries of a page.
  const uris = groups.map(({ head }) => head.metadata.uri);
  const kept = (one: Description) => read.get(one) ?? one;
  const light = groups.map(
    ({ head, versions: [first, ...others] }): VersionGroup => ({
      head: kept(head),
      versions: [kept(first), ...others.map(kept)],
    }),
  );
  return { matches: read.size, values: await inOrder(by, breathe), groups: light, uris, names };
}

/** Some of the descriptions of a page. Those before them are passed over without being read. */
async function stretch(page: Page, from: number, length: number): Promise<Description[]> {
  const found: Description[] = [];
  let passed = 0;
  for await (const some of page.descriptions()) {
    const start = Math.max(from - passed, 0);
    found.push(...some.slice(start, start + length - found.length));
    passed += some.length;
    if (found.length === length) break;
  }
  return found;
}

/** Copies of descriptions, each with its metadata read once, and what they are copies of. */
async function readAll(
  descriptions: readonly Description[],
  breathe: Breather,
): Promise<Map<Description, Description>> {
  const read = new Map<Description, Description>();
  for (const description of descriptions) {
    read.set(withMetadata(description), description);
    await breathe();
  }
  return read;
}

/** How many components have each value, whichever of their versions has it. */
async function countValues(
  groups: Iterable<VersionGroup>,
  breathe: Breather,
): Promise<Readonly<Record<ListName, ReadonlyMap<string, number>>>> {
  const by = {
    shapes: new Map<string, number>(),
    tag: new Map<string, number>(),
    author: new Map<string, number>(),
  };
  for (const { versions } of groups) {
    for (const name of LISTS) {
      const values = new Set(versions.flatMap(({ metadata }) => [...indexedValues(metadata, name)]));
      for (const value of values) by[name].set(value, (by[name].get(value) ?? 0) + 1);
    }
    await breathe();
  }
  return by;
}

async function sorted(
  groups: readonly VersionGroup[],
  search: Search,
  breathe: Breather,
): Promise<readonly VersionGroup[]> {
  const rank = rankBy(search);
  return sortedByKey(groups, (group) => `${descending(rank(group))}${nameKey(group.head)}`, breathe);
}

/** By name; of the same name, what the operator's own sources describe comes first: strangers choose uris that sort early. */
function nameKey({ metadata: { label, uri }, trust }: Description): string {
  return `${fold(label)}\0${trust === 'learned' ? 1 : 0}${uri}`;
}

/** What comes before the name: the higher, the earlier. */
function rankBy(search: Search): (group: VersionGroup) => number {
  const order = orderOf(search);
  if (order === 'name') return () => 0;
  if (order === 'newest') return updatedAt;
  const relevance = relevanceOf(search.q);
  return ({ head }) => Math.round(relevance(head.metadata) * 100);
}

async function inOrder(
  by: Readonly<Partial<Record<ListName, ReadonlyMap<string, number>>>>,
  breathe: Breather,
): Promise<Results['values']> {
  const ordered = async (counts: ReadonlyMap<string, number> = new Map()): Promise<ValueCounts> => {
    const all = [...counts];
    // Some engines have counted in this order.
    const isOrdered = all.every(([value, count], i) => {
      const [before, more] = all[i - 1] ?? ['', Number.POSITIVE_INFINITY];
      return more > count || (more === count && before < value);
    });
    return isOrdered ? all : sortedByKey(all, ([value, count]) => descending(count) + value, breathe);
  };
  return {
    shapes: await ordered(by.shapes),
    tag: await ordered(by.tag),
    author: await ordered(by.author),
  };
}

/** Sorts by keys that take time to make: each is made once. */
async function sortedByKey<T>(
  items: readonly T[],
  key: (item: T) => string,
  breathe: Breather,
): Promise<T[]> {
  const keyed: { readonly key: string; readonly item: T }[] = [];
  for (const item of items) {
    keyed.push({ key: key(item), item });
    await breathe();
  }
  return (await sortedBy(keyed, (one) => one.key, breathe)).map(({ item }) => item);
}
