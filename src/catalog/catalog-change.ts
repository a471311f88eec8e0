import type { Naming } from '../component/naming.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import type { LazyIndex } from './catalog-index.js';
import { type DocumentStatements, NO_STATEMENTS, type Removal } from './documents.js';
import { type Edits, edited, itemOf } from './edited.js';
import { type Component, componentOf, documentKey, Entry, entriesOf, type Said } from './entry.js';
import type { Listing } from './listing.js';
import type { Order } from './order.js';
import { type AllPostings, POSTED_FIELDS, PostingChanges } from './postings.js';

/** What becomes of statements. Each statement, a document on a component, is named once at most. */
export interface CatalogChange {
  /** What is said from now on, in the place of what the same document said of the component before. */
  readonly said: readonly Said[];
  /** What is said no longer, and remembered as removed. */
  readonly removed: readonly Removal[];
  /** Removals that are remembered no longer. */
  readonly forgotten: readonly Removal[];
}

export const NO_CATALOG_CHANGE: CatalogChange = { said: [], removed: [], forgotten: [] };

/** What a catalog holds. Nothing in it is ever changed, but the maps of postings and documents, when a change is shown. */
export interface CatalogContents {
  /** How answers name things. */
  readonly naming: Naming;
  readonly listing: Listing;
  readonly index: LazyIndex;
  /** By `documentKey`. */
  readonly documents: Map<string, DocumentStatements>;
  /** Those that are remembered. */
  readonly removals: Order<Removal>;
}

/** What a change leads to; of documents and postings, those that differ. */
interface Changed extends Pick<CatalogContents, 'listing' | 'removals'> {
  readonly postings: AllPostings;
  readonly entries: Order<Entry>;
  readonly documents: ReadonlyMap<string, DocumentStatements>;
}

/** Makes the contents what they are from now on, in one step. */
export type Swap = () => CatalogContents;

/** What becomes of one statement: it is said, or removed, or there is nothing more of it. */
interface StatementEdit {
  /** See `documentKey`. */
  readonly key: string;
  readonly uri: string;
  readonly entry?: Entry;
  readonly removal?: Removal;
}

/** Works out what a change leads to. Gives way to other work: the contents must not change meanwhile. */
export async function changeContents(
  contents: CatalogContents,
  change: CatalogChange,
  breathe: Breather,
): Promise<Swap> {
  const { naming, listing, index, documents, removals } = contents;
  const { postings, entries } = await index.make();
  const edits = await editsOf(change, naming, breathe);
  const components: Edits<Component>[number][] = [];
  const posted = new PostingChanges();
  for (const [uri, some] of grouped(edits, ({ uri }) => uri)) {
    const before = listing.get(uri);
    const after = changedComponent(before, some);
    await breathe();
    if (after === before) continue;
    components.push([uri, after]);
    posted.change(uri, before?.served.foundBy, after?.served.foundBy, after);
  }
  const changed = new Map<string, DocumentStatements>();
  const places = {
    entries: new Map<number, Entry | undefined>(),
    removals: new Map<number, Removal | undefined>(),
  };
  for (const [key, some] of grouped(edits, ({ key }) => key)) {
    const { said, removed } = documents.get(key) ?? NO_STATEMENTS;
    for (const { uri, entry, removal } of some) {
      replace(places.entries, itemOf(said, uri), entry);
      replace(places.removals, itemOf(removed, uri), removal);
      await breathe();
    }
    const [sayings, goings] = [
      some.map(({ uri, entry }) => [uri, entry] as const),
      some.map(({ uri, removal }) => [uri, removal] as const),
    ];
    changed.set(key, {
      said: await edited(said, sayings, breathe),
      removed: await edited(removed, goings, breathe),
    });
  }
  const after: Changed = {
    listing: await listing.changed(components, breathe),
    postings: await posted.lists(postings, breathe),
    documents: changed,
    entries: await entries.changed(places.entries, breathe),
    removals: await removals.changed(places.removals, breathe),
  };
  return () => swapped(contents, after);
}

/** Nothing here throws: what readers see is changed whole. */
function swapped(contents: CatalogContents, changed: Changed): CatalogContents {
  const { index, documents } = contents;
  const { listing, removals, postings, entries } = changed;
  for (const field of POSTED_FIELDS) {
    for (const [value, components] of postings[field]) {
      if (components.length === 0) index.made?.postings[field].delete(value);
      else index.made?.postings[field].set(value, components);
    }
  }
  for (const [key, statements] of changed.documents) {
    const isEmpty = statements.said.length + statements.removed.length === 0;
    if (isEmpty) documents.delete(key);
    else documents.set(key, statements);
  }
  if (index.made) index.made.entries = entries;
  return { ...contents, listing, removals };
}

/** In the order of uris. */
async function editsOf(
  { said, removed, forgotten }: CatalogChange,
  naming: Naming,
  breathe: Breather,
): Promise<StatementEdit[]> {
  const edits: StatementEdit[] = forgotten.map((gone) => ({ key: documentKey(gone), uri: gone.uri }));
  for (const removal of removed) edits.push({ key: documentKey(removal), uri: removal.uri, removal });
  for (const one of said) {
    edits.push({ key: one.origin.key, uri: one.listed.uri, entry: new Entry(one, naming) });
    await breathe();
  }
  return sortedBy(edits, ({ uri }) => uri, breathe);
}

/** The same object where nothing changes. */
function changedComponent(
  before: Component | undefined,
  edits: readonly StatementEdit[],
): Component | undefined {
  const entries = before ? entriesOf(before) : [];
  const stays = ({ origin }: Entry) => !edits.some(({ key }) => key === origin.key);
  const staying = entries.filter(stays);
  const coming = edits.flatMap(({ entry }) => entry ?? []);
  if (coming.length === 0 && staying.length === entries.length) return before;
  return componentOf([...staying, ...coming]);
}

/** What comes may have the very place of what leaves. */
function replace<T extends { readonly position: number }>(
  places: Map<number, T | undefined>,
  leaving: T | undefined,
  coming: T | undefined,
): void {
  if (leaving) places.set(leaving.position, undefined);
  if (coming) places.set(coming.position, coming);
}
