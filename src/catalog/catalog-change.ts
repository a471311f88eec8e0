import type { Naming } from '../component/naming.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import type { LazyIndex } from './catalog-index.js';
import { type Edits, edited, editedBy, itemOf } from './edited.js';
import {
  type Component,
  componentOf,
  documentKey,
  type Entry,
  entriesOf,
  NO_ENTRIES,
  statementKey,
} from './entry.js';
import type { Listing } from './listing.js';
import { changedPostings, POSTED_FIELDS } from './postings.js';
import type { Removal } from './removal.js';

/** What becomes of statements. Of one that is named several times, a document on a component, the last counts. */
export interface CatalogChange {
  /** Removals that are remembered no longer. */
  readonly forgotten: readonly Removal[];
  /** What is said from now on, in the place of what the same document said of the component before. */
  readonly said: readonly Entry[];
  /** What is said no longer, and remembered as removed. */
  readonly removed: readonly Removal[];
}

export const NO_CATALOG_CHANGE: CatalogChange = { said: [], removed: [], forgotten: [] };

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

/** What becomes of one statement: it is said, or it is not. */
interface StatementEdit {
  /** See `documentKey`. */
  readonly key: string;
  readonly uri: string;
  readonly entry?: Entry;
}

/** Works out what a change leads to. Gives way to other work: the contents must not change meanwhile. */
export async function changeContents(
  contents: CatalogContents,
  change: CatalogChange,
  breathe: Breather,
): Promise<Swap> {
  const { documents, removals } = contents;
  const made = await contents.index.make();
  const edits = await editsOf(change, breathe);
  const components: Edits<Component>[number][] = [];
  const served = new Map<string, Component | undefined>();
  for (const [uri, some] of grouped(edits, ({ uri }) => uri)) {
    const before = contents.listing.get(uri);
    const after = changedComponent(before, some);
    await breathe();
    if (after === before) continue;
    components.push([uri, after]);
    served.set(uri, before);
  }
  const places = new Map<number, Entry | Removal | undefined>();
  const gone: string[] = [];
  const changed = new Map<string, readonly Entry[]>();
  for (const [key, some] of grouped(edits, ({ key }) => key)) {
    const said = documents.get(key) ?? NO_ENTRIES;
    for (const { uri, entry } of some) {
      const leaving = itemOf(said, uri);
      // What comes may have the very place of what leaves.
      if (leaving) places.set(leaving.position, undefined);
      if (entry) places.set(entry.position, entry);
      const name = statementKey(key, uri);
      const removal = removals.get(name);
      if (removal) {
        gone.push(name);
        places.set(removal.position, undefined);
      }
      await breathe();
    }
    const entries = some.map(({ uri, entry }) => [uri, entry] as const);
    changed.set(key, await edited(said, entries, breathe));
  }
  // First of all: what leads to an entry is read faster where its bytes lie in a run.
  const listing = await contents.listing.changed(components, breathe);
  const postings = await changedPostings(made.postings, components, served, breathe);
  const removed = await removalsByKey(change.removed, breathe);
  for (const removal of change.removed) places.set(removal.position, removal);
  const placed = await sortedBy([...places], ([position]) => position, breathe);
  const latest = await editedBy(made.latest, ({ position }) => position, placed, breathe);
  return () => {
    for (const field of POSTED_FIELDS) replace(made.postings[field], postings[field]);
    replace(documents, changed);
    for (const key of gone) removals.delete(key);
    for (const [key, removal] of removed) removals.set(key, removal);
    made.latest = latest;
    return { ...contents, listing };
  };
}

/** In the order of positions. */
export async function removalsByKey(
  removals: readonly Removal[],
  breathe: Breather,
): Promise<Map<string, Removal>> {
  const byKey = new Map<string, Removal>();
  for (const one of await sortedBy(removals, ({ position }) => position, breathe)) {
    byKey.set(statementKey(documentKey(one), one.uri), one);
    await breathe();
  }
  return byKey;
}

/** In the order of uris. */
async function editsOf(
  { forgotten, said, removed }: CatalogChange,
  breathe: Breather,
): Promise<StatementEdit[]> {
  const edits = new Map<string, StatementEdit>();
  const add = (edit: StatementEdit) => edits.set(statementKey(edit.key, edit.uri), edit);
  for (const one of forgotten) add({ key: documentKey(one), uri: one.uri });
  for (const entry of said) {
    add({ key: entry.origin.key, uri: entry.uri, entry });
    await breathe();
  }
  for (const one of removed) add({ key: documentKey(one), uri: one.uri });
  return sortedBy([...edits.values()], ({ uri }) => uri, breathe);
}

/** The same object where nothing changes. */
function changedComponent(
  before: Component | undefined,
  edits: readonly StatementEdit[],
): Component | undefined {
  const entries = before ? entriesOf(before) : [];
  const edited = new Set(edits.map(({ key }) => key));
  const staying = entries.filter(({ origin }) => !edited.has(origin.key));
  const coming = edits.flatMap(({ entry }) => entry ?? []);
  if (coming.length === 0 && staying.length === entries.length) return before;
  return componentOf([...staying, ...coming]);
}

/** Takes over the lists that have changed, and drops those that are empty now. */
function replace<T>(all: Map<string, readonly T[]>, changed: ReadonlyMap<string, readonly T[]>): void {
  for (const [key, list] of changed) {
    if (list.length === 0) all.delete(key);
    else all.set(key, list);
  }
}
