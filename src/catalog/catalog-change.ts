import type { Naming } from '../component/naming.js';
import { grouped } from '../lib/grouped.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import type { OrderChange } from './change-order.js';
import {
  changedDocuments,
  type DocumentStatements,
  type Documents,
  NO_STATEMENTS,
  type Removal,
  type StatementEdit,
} from './documents.js';
import { type Edits, itemOf } from './edited.js';
import { type Component, componentOf, documentKey, Entry, entriesOf, type Said } from './entry.js';
import type { Listing } from './listing.js';
import { type AllPostings, PostingChanges } from './postings.js';

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

/** What a catalog holds. Nothing in it is ever changed: a change makes another one. */
export interface CatalogContents {
  readonly listing: Listing;
  readonly postings: AllPostings;
  readonly documents: Documents;
}

/** The contents as a change leaves them; of postings and documents, those that differ. */
export interface ChangedContents extends CatalogContents {
  /** Of the orders of positions. */
  readonly entries: OrderChange<Entry>;
  readonly removals: OrderChange<Removal>;
}

/** Works out what a change leads to. Gives way to other work: the contents must not change meanwhile. */
export async function changedContents(
  { listing, postings, documents }: CatalogContents,
  change: CatalogChange,
  naming: Naming,
  breathe: Breather,
): Promise<ChangedContents> {
  const edits = await editsOf(change, naming, breathe);
  const components: Edits<Component>[number][] = [];
  const posted = new PostingChanges();
  for (const [uri, some] of grouped(edits, ({ uri }) => uri)) {
    const before = listing.get(uri);
    const after = changedComponent(before, some);
    await breathe();
    if (after === before) continue;
    components.push([uri, after]);
    const said = before?.served.foundBy;
    const saidNow = after?.served === before?.served ? said : after?.served.foundBy;
    posted.change(uri, said, saidNow, after);
  }
  return {
    listing: await listing.changed(components, breathe),
    postings: await posted.lists(postings, breathe),
    documents: await changedDocuments(documents, edits, breathe),
    entries: await orderChange(
      edits,
      ({ said }) => said,
      ({ entry }) => entry,
      documents,
      breathe,
    ),
    removals: await orderChange(
      edits,
      ({ removed }) => removed,
      ({ removal }) => removal,
      documents,
      breathe,
    ),
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

/** @param listed where what an edit replaces stands in its document @param after what it puts there */
async function orderChange<T extends Entry | Removal>(
  edits: readonly StatementEdit[],
  listed: (document: DocumentStatements) => readonly T[],
  after: (edit: StatementEdit) => T | undefined,
  documents: Documents,
  breathe: Breather,
): Promise<OrderChange<T>> {
  const [left, came]: [T[], T[]] = [[], []];
  for (const edit of edits) {
    const gone = itemOf(listed(documents.get(edit.key) ?? NO_STATEMENTS), edit.uri);
    const come = after(edit);
    if (gone) left.push(gone);
    if (come) came.push(come);
    await breathe();
  }
  return { left, came: await sortedBy(came, ({ position }) => position, breathe) };
}
