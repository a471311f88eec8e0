import type { Naming } from '../component/naming.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import type { LazyIndex } from './catalog-index.js';
import { type DocumentStatements, NO_STATEMENTS, type Removal } from './documents.js';
import { type Edits, edited, editedBy, itemOf, type Listed } from './edited.js';
import { type Component, componentOf, documentKey, Entry, entriesOf, type Said } from './entry.js';
import type { Listing } from './listing.js';
import { POSTED_FIELDS, PostingChanges } from './postings.js';

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
  /** Those that are remembered, in the order of positions. */
  readonly removals: readonly Removal[];
}

/** Makes the contents what they are from now on, in one step: what readers see is changed whole. Never throws. */
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
  const { documents } = contents;
  const made = await contents.index.make();
  const edits = await editsOf(change, contents.naming, breathe);
  const components: Edits<Component>[number][] = [];
  const posted = new PostingChanges();
  for (const [uri, some] of grouped(edits, ({ uri }) => uri)) {
    const before = contents.listing.get(uri);
    const after = changedComponent(before, some);
    await breathe();
    if (after === before) continue;
    components.push([uri, after]);
    posted.change(uri, before?.served.foundBy, after?.served.foundBy, after);
  }
  const [said, removed] = [new PlaceChanges<Entry>(), new PlaceChanges<Removal>()];
  const changed = new Map<string, DocumentStatements>();
  for (const [key, some] of grouped(edits, ({ key }) => key)) {
    const before = documents.get(key) ?? NO_STATEMENTS;
    const entries = some.map(({ uri, entry }) => [uri, entry] as const);
    const removals = some.map(({ uri, removal }) => [uri, removal] as const);
    changed.set(key, {
      said: await said.edited(before.said, entries, breathe),
      removed: await removed.edited(before.removed, removals, breathe),
    });
  }
  const listing = await contents.listing.changed(components, breathe);
  const postings = await posted.lists(made.postings, breathe);
  const entries = await said.inOrder(made.entries, breathe);
  const removals = await removed.inOrder(contents.removals, breathe);
  return () => {
    for (const field of POSTED_FIELDS) replace(made.postings[field], postings[field], (list) => list.length);
    replace(documents, changed, (one) => one.said.length + one.removed.length);
    made.entries = entries;
    return { ...contents, listing, removals };
  };
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

/** What the edits of documents make of the list of all that they say, or have said, in the order of positions. */
class PlaceChanges<T extends Listed & { readonly position: number }> {
  readonly #places = new Map<number, T | undefined>();

  /** What a document says from now on. */
  async edited(list: readonly T[], edits: Edits<T>, breathe: Breather): Promise<readonly T[]> {
    for (const [uri, coming] of edits) {
      const leaving = itemOf(list, uri);
      // What comes may have the very place of what leaves.
      if (leaving) this.#places.set(leaving.position, undefined);
      if (coming) this.#places.set(coming.position, coming);
      await breathe();
    }
    return edited(list, edits, breathe);
  }

  async inOrder(list: readonly T[], breathe: Breather): Promise<readonly T[]> {
    const places = await sortedBy([...this.#places], ([position]) => position, breathe);
    return editedBy(list, ({ position }) => position, places, breathe);
  }
}

/** Takes over what has changed, and drops what is empty then. */
function replace<T>(all: Map<string, T>, changed: ReadonlyMap<string, T>, sizeOf: (one: T) => number): void {
  for (const [key, one] of changed) {
    if (sizeOf(one) === 0) all.delete(key);
    else all.set(key, one);
  }
}
