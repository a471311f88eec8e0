import type { Naming } from '../component/naming.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import type { LazyIndex } from './catalog-index.js';
import { type Edits, edited, uriOf } from './edited.js';
import {
  type Component,
  componentOf,
  documentKey,
  Entry,
  entriesOf,
  NO_ENTRIES,
  statementKey,
} from './entry.js';
import type { Listing } from './listing.js';
import { changedPostings, POSTED_FIELDS } from './postings.js';
import type { Removal } from './removal.js';

/** What becomes of one statement. */
export interface StatementEdit {
  /** See `documentKey`. */
  readonly document: string;
  readonly uri: string;
  /** What is said from now on. Where neither this nor a removal is there, a removal is remembered no longer. */
  readonly entry?: Entry | undefined;
  readonly removal?: Removal | undefined;
}

export function editOf(latest: Entry | Removal): StatementEdit {
  const { uri } = latest;
  return latest instanceof Entry
    ? { document: latest.origin.key, uri, entry: latest }
    : { document: documentKey(latest), uri, removal: latest };
}

/** What a catalog holds. When a change is shown, the index and the maps change in place, and nothing else. */
export interface CatalogContents {
  /** How answers name things. */
  readonly naming: Naming;
  readonly listing: Listing;
  readonly index: LazyIndex;
  /** What each document says, in the order of uris; by `documentKey`. */
  readonly documents: Map<string, readonly Entry[]>;
  /** Those that are remembered, in the order of positions; by `statementKey`. */
  readonly removals: Map<string, Removal>;
}

/** Makes the contents what they are from now on, in one step: what readers see is changed whole. Never throws. */
export type Swap = () => CatalogContents;

/**
 * Works out what a change leads to; undefined where it is nothing. Gives way to other work: the contents must not change meanwhile.
 * @param edits of a statement that is named several times the last counts
 */
export async function changeContents(
  contents: CatalogContents,
  edits: Iterable<StatementEdit>,
  breathe: Breather,
): Promise<Swap | undefined> {
  const { documents, removals } = contents;
  const byStatement = new Map<string, StatementEdit>();
  for (const edit of edits) {
    byStatement.set(statementKey(edit.document, edit.uri), edit);
    await breathe();
  }
  if (byStatement.size === 0) return undefined;
  const made = await contents.index.make();
  const statements = await sortedBy([...byStatement], ([, { uri }]) => uri, breathe);
  const components: Edits<Component>[number][] = [];
  const places = new Map<number, Entry | Removal | undefined>();
  const removed: (readonly [name: string, removal: Removal | undefined])[] = [];
  for (const [uri, some] of grouped(statements, ([, { uri }]) => uri)) {
    const before = contents.listing.get(uri);
    const entries = new Map((before ? entriesOf(before) : []).map((entry) => [entry.origin.key, entry]));
    let isDescribedOtherwise = false;
    for (const [name, { document, entry, removal }] of some) {
      const former = entries.get(document);
      const latest = entry ?? removal;
      // What comes may have the very place of what leaves.
      for (const leaving of [former, removals.get(name)])
        if (leaving) places.set(leaving.position, undefined);
      if (latest) places.set(latest.position, latest);
      if (removals.has(name) || removal) removed.push([name, removal]);
      if (entry) entries.set(document, entry);
      else entries.delete(document);
      isDescribedOtherwise ||= entry !== former;
      await breathe();
    }
    if (isDescribedOtherwise) components.push([uri, componentOf([...entries.values()])]);
  }
  const changed = new Map<string, readonly Entry[]>();
  for (const [document, some] of grouped(statements, ([, { document }]) => document)) {
    const entries = some.map(([, { uri, entry }]) => [uri, entry] as const);
    changed.set(document, await edited(documents.get(document) ?? NO_ENTRIES, uriOf, entries, breathe));
  }
  // First of all: what leads to an entry is read faster where its bytes lie in a run.
  const listing = await contents.listing.changed(components, breathe);
  const postings = await changedPostings(made.postings, contents.listing, components, breathe);
  const placed = await sortedBy([...places], ([position]) => position, breathe);
  const latest = await edited(made.latest, ({ position }) => position, placed, breathe);
  const inOrder = await sortedBy(removed, ([, removal]) => removal?.position ?? 0, breathe);
  return () => {
    for (const field of POSTED_FIELDS) replace(made.postings[field], postings[field]);
    replace(documents, changed);
    for (const [name, removal] of inOrder) {
      removals.delete(name);
      if (removal) removals.set(name, removal);
    }
    made.latest = latest;
    return { ...contents, listing };
  };
}

/** Takes over the lists that have changed, and drops those that are empty now. */
function replace<T>(all: Map<string, readonly T[]>, changed: ReadonlyMap<string, readonly T[]>): void {
  for (const [key, list] of changed) {
    if (list.length === 0) all.delete(key);
    else all.set(key, list);
  }
}
