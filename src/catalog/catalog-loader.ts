import type { Naming } from '../component/naming.js';
import type { Breather } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type ChangedContents, changedContents, NO_CATALOG_CHANGE } from './catalog-change.js';
import { ChangeOrder } from './change-order.js';
import type { DocumentStatements, Removal } from './documents.js';
import { componentOf, documentKey, Entry, type Said } from './entry.js';
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
  readonly entries: ChangeOrder<Entry>;
  readonly removals: ChangeOrder<Removal>;
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
  /** What is said of the component that is being read. */
  #current: Entry[] = [];
  #uri = '';

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  add(said: Said): void {
    const { uri } = said.listed;
    if (uri < this.#uri) {
      this.#late.push(said);
      return;
    }
    if (uri !== this.#uri) this.#endComponent();
    this.#uri = uri;
    const entry = new Entry(said, this.#naming);
    this.#current.push(entry);
    this.#entries.push(entry);
    this.#document(said.origin.key).said.push(entry);
  }

  /** @param removals in any order */
  async end(
    removals: readonly Removal[],
    states: RememberedStates,
    breathe: Breather,
  ): Promise<ReadContents> {
    this.#endComponent();
    this.#writer.end();
    for (const removal of await sortedBy(removals, ({ uri }) => uri, breathe)) {
      this.#document(documentKey(removal)).removed.push(removal);
      await breathe();
    }
    const contents: LoadedContents = {
      listing: new Listing(this.#writer.runs),
      postings: await this.#postings.end(breathe),
      documents: this.#documents,
      entries: await ChangeOrder.of(this.#entries, breathe),
      removals: await ChangeOrder.of(removals, breathe),
      states,
    };
    const [naming, said] = [this.#naming, this.#late];
    if (said.length === 0) return { naming, contents, late: undefined };
    return {
      ...{ naming, contents },
      late: await changedContents(contents, { ...NO_CATALOG_CHANGE, said }, naming, breathe),
    };
  }

  #endComponent(): void {
    const component = componentOf(this.#current);
    if (!component) return;
    this.#current = [];
    this.#postings.append(component);
    this.#writer.add(component);
  }

  #document(key: string): { said: Entry[]; removed: Removal[] } {
    const known = this.#documents.get(key);
    if (known) return known;
    const made = { said: [], removed: [] };
    this.#documents.set(key, made);
    return made;
  }
}
