import type { Naming } from '../component/naming.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type ChangedContents, changedContents, componentOf, NO_CATALOG_CHANGE } from './catalog-change.js';
import type { DocumentStatements, Removal } from './documents.js';
import { documentKey, Entry, type Said } from './entry.js';
import { Listing } from './listing.js';
import { type Components, type PostedField, PostingLists } from './postings.js';
import type { RememberedStates } from './remembered-states.js';
import { RunWriter } from './run.js';

/** Everything that a catalog holds when a start has read it. */
export interface LoadedContents {
  readonly listing: Listing;
  readonly postings: Record<PostedField, Map<string, Components>>;
  /** By `documentKey`. */
  readonly documents: Map<string, DocumentStatements>;
  /** In the order of positions, as the removals. */
  readonly entries: readonly Entry[];
  readonly removals: readonly Removal[];
  /** The states that are remembered. */
  readonly states: RememberedStates;
}

/** What a catalog is filled with, in one step. */
export interface ReadContents {
  readonly naming: Naming;
  readonly contents: LoadedContents;
  /** What came too late for its place. */
  readonly late: ChangedContents | undefined;
}

/**
 * Builds the contents of a catalog while a start reads statements in the order of uris. Those that come too late, because their
 * order is that of other characters, are left to an ordinary change.
 */
export class CatalogLoader {
  readonly #naming: Naming;
  readonly #writer = new RunWriter();
  readonly #postings = new PostingLists();
  readonly #documents = new Map<string, { said: Entry[]; removed: Removal[] }>();
  readonly #entries: Entry[] = [];
  readonly #late: Said[] = [];
  #placed = 0;
  #current: Said[] = [];
  #lastUri = '';

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  add(said: Said): void {
    const { uri } = said.metadata;
    if (uri !== this.#current[0]?.metadata.uri) this.#take();
    if (uri < this.#lastUri) this.#late.push(said);
    else this.#current.push(said);
  }

  /** @param removals in any order */
  async end(
    removals: readonly Removal[],
    states: LoadedContents['states'],
    breathe: Breather,
  ): Promise<ReadContents> {
    this.#take();
    this.#writer.end();
    this.#place();
    for (const removal of await sortedBy(removals, ({ uri }) => uri, breathe)) {
      this.#document(documentKey(removal)).removed.push(removal);
      await breathe();
    }
    const contents: LoadedContents = {
      listing: new Listing(this.#writer.runs),
      postings: this.#postings.lists,
      documents: this.#documents as Map<string, DocumentStatements>,
      entries: await inOrder(this.#entries, breathe),
      removals: await inOrder(removals, breathe),
      states,
    };
    const [naming, said] = [this.#naming, this.#late];
    if (said.length === 0) return { naming, contents, late: undefined };
    const late = await changedContents(contents, { ...NO_CATALOG_CHANGE, said }, naming, breathe);
    const entries = await inOrder([...contents.entries, ...late.entries.came], breathe);
    return { naming, contents: { ...contents, entries }, late };
  }

  #take(): void {
    const said = this.#current;
    const [first] = said;
    if (!first) return;
    this.#current = [];
    this.#lastUri = first.metadata.uri;
    const entries = said.map((one) => new Entry(one, this.#naming));
    const component = componentOf(entries);
    if (!component) return;
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#document(entry.origin.key).said.push(entry);
    }
    this.#postings.append(component);
    this.#writer.add(component);
    this.#place();
  }

  /** What lies in a run needs no text of its own any more. */
  #place(): void {
    const { runs } = this.#writer;
    for (; this.#placed < runs.length; this.#placed++) runs[this.#placed]?.place();
  }

  #document(key: string): { said: Entry[]; removed: Removal[] } {
    const known = this.#documents.get(key);
    if (known) return known;
    const made = { said: [], removed: [] };
    this.#documents.set(key, made);
    return made;
  }
}

function inOrder<T extends { readonly position: number }>(
  items: readonly T[],
  breathe: Breather,
): Promise<readonly T[]> {
  return sortedBy(items, ({ position }) => position, breathe);
}
