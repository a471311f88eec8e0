import { fold } from '../../component/search-text.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Description } from '../../registry/description.js';
import type { Page } from '../../registry/page.js';
import { groupVersions, type VersionGroup } from '../../web/component/versions.js';
import { relevanceOf } from '../../web/finding/relevance.js';
import { ENTRIES, type Results, type ValueCounts } from '../../web/finding/results.js';
import {
  LISTS,
  type ListName,
  orderOf,
  queryOf,
  type Search,
  searchParameters,
} from '../../web/finding/search.js';
import { PerRevision } from './per-revision.js';

/**
 * Most matches that are read whole, to put versions together and to sort them. More are listed in the order of the
 * catalog, which reads only those on the page.
 */
const SORTED = 10_000;
/** Searches whose matches are kept for their other pages. */
const KEPT = 4;

/** What a search found, for all of its pages. */
interface Found {
  readonly matches: number;
  readonly values: Results['values'];
  /** In the order that was asked for; absent where there are too many. */
  readonly groups?: readonly VersionGroup[];
}

export interface ResultsParts {
  readonly catalog: () => Catalog;
  readonly pace: Pace;
}

/** Finds what a search looks for, one page of it at a time. */
export type SearchResults = (search: Search) => Promise<Results>;

export function searchResults({ catalog, pace }: ResultsParts): SearchResults {
  const kept = new PerRevision<Found>(KEPT);
  return async (search) => {
    const { revision } = await catalog().state();
    const found = await kept.get(revision, searchParameters(search), () => find(catalog(), search, pace));
    const { matches, values, groups } = found;
    const from = (search.page - 1) * ENTRIES;
    if (groups) {
      const shown = groups.slice(from, from + ENTRIES);
      return { matches, values, entries: groups.length, isSorted: true, shown };
    }
    const shown = groupsOfOne(await stretch(await catalog().page(queryOf(search)), from, ENTRIES));
    return { matches, values, entries: matches, isSorted: false, shown };
  };
}

async function find(catalog: Catalog, search: Search, pace: Pace): Promise<Found> {
  const query = queryOf(search);
  const breathe = pace();
  const matching = await stretch(await catalog.page(query), 0, SORTED + 1);
  if (matching.length > SORTED) {
    const { total, by } = await catalog.counts(query, LISTS);
    return { matches: total, values: await inOrder(by, breathe) };
  }
  const read = await readAll(matching, breathe);
  const by = await countValues(read, breathe);
  const groups = await sorted(groupVersions(read), search, breathe);
  return { matches: read.length, values: await inOrder(by, breathe), groups };
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

/** The same descriptions, each with its metadata read once: an engine may read them anew whenever it is asked. */
async function readAll(descriptions: readonly Description[], breathe: Breather): Promise<Description[]> {
  const read: Description[] = [];
  for (const { source, document, metadata } of descriptions) {
    read.push({ source, document, metadata });
    await breathe();
  }
  return read;
}

async function countValues(
  descriptions: readonly Description[],
  breathe: Breather,
): Promise<Readonly<Record<ListName, ReadonlyMap<string, number>>>> {
  const by = {
    shapes: new Map<string, number>(),
    tag: new Map<string, number>(),
    author: new Map<string, number>(),
  };
  for (const { metadata } of descriptions) {
    for (const name of LISTS) {
      for (const value of metadata[name]) by[name].set(value, (by[name].get(value) ?? 0) + 1);
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
  const [order, relevance] = [orderOf(search), relevanceOf(search.q)];
  const keys = new Map<VersionGroup, string>();
  for (const group of groups) {
    const { label, uri } = group.head.metadata;
    const name = `${fold(label)}\0${uri}`;
    keys.set(group, order === 'relevance' ? descending(relevance(group.head.metadata)) + name : name);
    await breathe();
  }
  return sortedBy(groups, (group) => keys.get(group) ?? '', breathe);
}

async function inOrder(
  by: Readonly<Record<ListName, ReadonlyMap<string, number>>>,
  breathe: Breather,
): Promise<Results['values']> {
  const ordered = (counts: ReadonlyMap<string, number>): Promise<ValueCounts> =>
    sortedBy([...counts], ([value, count]) => descending(count) + value, breathe);
  return {
    shapes: await ordered(by.shapes),
    tag: await ordered(by.tag),
    author: await ordered(by.author),
  };
}

/** A text of fixed length that is less the greater the number is. */
function descending(number: number): string {
  return (1e12 - Math.round(number * 100)).toString().padStart(13, '0');
}

function groupsOfOne(descriptions: readonly Description[]): VersionGroup[] {
  return descriptions.map((head) => ({ head, versions: [head] }));
}
