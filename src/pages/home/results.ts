import type { Catalog, Page } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { fold } from '../../component/search-text.js';
import { isUnusable, moduleState } from '../../core/module-health.js';
import { type ModuleLooksParts, moduleLooks } from '../../http/matching/module-looks.js';
import { PerRevision } from '../../http/per-revision.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { descending, sortedBy } from '../../lib/sort.js';
import { newest } from './newest.js';
import { relevanceOf } from './relevance.js';
import { ENTRIES, type Results, type ValueCounts } from './results-view.js';
import { LISTS, type ListName, orderOf, queryOf, type Search, searchParameters } from './search.js';

/**
 * Most matches that are read whole to sort them: 20,000 take half a second, once after each change. More are listed in
 * the order of the catalog, which reads only those on the page.
 */
const SORTED = 30_000;
/** Searches whose matches are kept for their other pages. */
const KEPT = 4;

/** What a search found, for all of its pages. */
interface Found {
  readonly total: number;
  readonly values: Results['values'];
  /** All matches in the order that was asked for; absent where there are too many. */
  readonly sorted?: readonly Match[];
}

/** The uri beside a description: what it says is parsed each time it is asked for. */
interface Match {
  readonly description: Description;
  readonly uri: string;
}

export interface ResultsParts extends ModuleLooksParts {
  readonly catalog: Catalog;
}

/** Finds what a search looks for, one page of it at a time. */
export type SearchResults = (search: Search, pace: Pace) => Promise<Results>;

/** @param most matches that are read whole */
export function searchResults(parts: ResultsParts, most = SORTED): SearchResults {
  const { catalog, ...modules } = parts;
  const kept = new PerRevision<Found>(KEPT);
  return async (search, pace) => {
    const { revision } = await catalog.state();
    const key = searchParameters(search);
    const found = await kept.get(revision, key, () => find(search, { catalog, pace, most }));
    const { sorted, ...counted } = found;
    const from = (search.page - 1) * ENTRIES;
    if (sorted) {
      const inOrder = orderOf(search) === 'relevance' ? brokenLast(sorted, modules.reports) : sorted;
      const entries = inOrder.slice(from, from + ENTRIES).map(({ description }) => description);
      const shown = await readOnce(entries, pace());
      return { ...counted, isSorted: true, shown, looks: await moduleLooks(shown, modules) };
    }
    const isSorted = orderOf(search) === 'newest';
    const entries = from < most || search.after ? await neighbours(search, from) : { listed: [] };
    const shown = await readOnce(entries.listed, pace());
    return { ...counted, isSorted, next: entries.next, shown, looks: await moduleLooks(shown, modules) };
  };

  /** Entries that are not sorted: behind the last one of the page before, where that is known. */
  async function neighbours(
    search: Search,
    from: number,
  ): Promise<{ readonly listed: readonly Description[]; readonly next?: string | undefined }> {
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
  matches: readonly Match[],
  { moduleFailure }: ModuleLooksParts['reports'],
): readonly Match[] {
  const isBroken = ({ description, uri }: Match) =>
    isUnusable(moduleState(description.pin, moduleFailure(uri)));
  const broken = new Set(matches.filter(isBroken));
  return broken.size === 0 ? matches : [...matches.filter((one) => !broken.has(one)), ...broken];
}

async function find(
  search: Search,
  { catalog, pace, most }: Pick<ResultsParts, 'catalog'> & { readonly pace: Pace; readonly most: number },
): Promise<Found> {
  const query = queryOf(search);
  const breathe = pace();
  const { total, by } = await catalog.counts(query, LISTS);
  const counted = { total, values: await inOrder(by, breathe) };
  if (total > most) return counted;
  const matching = await stretch(await catalog.page(query), 0, most);
  return { ...counted, sorted: await inSearchOrder(matching, search, breathe) };
}

/** The same with their metadata at hand: it is parsed each time that it is asked for, and a page asks often. */
async function readOnce(
  descriptions: readonly Description[],
  breathe: Breather,
): Promise<readonly Description[]> {
  const read: Description[] = [];
  for (const one of descriptions) {
    read.push(withMetadata(one));
    await breathe();
  }
  return read;
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

/** What each says is parsed once, and not kept: it is parsed again for the few entries of a page. */
async function inSearchOrder(
  descriptions: readonly Description[],
  search: Search,
  breathe: Breather,
): Promise<readonly Match[]> {
  const rank = rankBy(search);
  const keyed: { readonly key: string; readonly match: Match }[] = [];
  for (const description of descriptions) {
    const read = withMetadata(description);
    const match = { description, uri: read.metadata.uri };
    keyed.push({ key: `${descending(rank(read))}${nameKey(read)}`, match });
    await breathe();
  }
  return (await sortedBy(keyed, ({ key }) => key, breathe)).map(({ match }) => match);
}

/** By name; of the same name, what the operator's own sources describe comes first: strangers choose uris that sort early. */
function nameKey({ metadata: { label, uri }, trust }: Description): string {
  return `${fold(label)}\0${trust === 'learned' ? 1 : 0}${uri}`;
}

/** What comes before the name: the higher, the earlier. */
function rankBy(search: Search): (description: Description) => number {
  const order = orderOf(search);
  if (order === 'name') return () => 0;
  if (order === 'newest') return ({ since }) => since;
  const relevance = relevanceOf(search.q);
  return ({ metadata }) => Math.round(relevance(metadata) * 100);
}

async function inOrder(
  by: Readonly<Partial<Record<ListName, ReadonlyMap<string, number>>>>,
  breathe: Breather,
): Promise<Results['values']> {
  const ordered = async (counts: ReadonlyMap<string, number> = new Map()): Promise<ValueCounts> => {
    return sortedBy([...counts], ([value, count]) => descending(count) + value, breathe);
  };
  return {
    shapes: await ordered(by.shapes),
    tag: await ordered(by.tag),
    author: await ordered(by.author),
  };
}
