import type { Naming } from '../component/naming.js';
import type { Breather, Pace } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type CatalogContents, changeContents, NO_CATALOG_CHANGE } from './catalog-change.js';
import { LazyIndex } from './catalog-index.js';
import type { DocumentStatements, Removal } from './documents.js';
import { componentOf, documentKey, Entry, type Said } from './entry.js';
import { Listing } from './listing.js';
import { RunWriter } from './run.js';

/**
 * Builds the contents of a catalog while a start reads statements in the order of uris. Those that come too late, because their
 * order is that of other characters, are left to an ordinary change.
 */
export class CatalogLoader {
  readonly #naming: Naming;
  readonly #pace: Pace;
  readonly #writer = new RunWriter();
  readonly #documents = new Map<
    string,
    DocumentStatements & { readonly said: Entry[]; readonly removed: Removal[] }
  >();
  /** The document of the statement before. */
  #document: { readonly key: string; readonly said: Entry[] } | undefined;
  readonly #late: Said[] = [];
  /** What is said of the component that is being read. */
  #current: Entry[] = [];
  #uri = '';

  constructor(naming: Naming, pace: Pace) {
    this.#naming = naming;
    this.#pace = pace;
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
    const { key } = said.origin;
    if (this.#document?.key !== key) this.#document = { key, said: this.#documentOf(key).said };
    this.#document.said.push(entry);
  }

  /** @param removals in any order */
  async end(removals: readonly Removal[], breathe: Breather): Promise<CatalogContents> {
    this.#endComponent();
    this.#writer.end();
    for (const removal of await sortedBy(removals, ({ uri }) => uri, breathe)) {
      this.#documentOf(documentKey(removal)).removed.push(removal);
      await breathe();
    }
    const listing = new Listing(this.#writer.runs);
    const contents: CatalogContents = {
      ...{ naming: this.#naming, listing, index: new LazyIndex(listing, this.#pace) },
      ...{
        documents: this.#documents,
        removals: await sortedBy(removals, ({ position }) => position, breathe),
      },
    };
    if (this.#late.length === 0) return contents;
    const swap = await changeContents(contents, { ...NO_CATALOG_CHANGE, said: this.#late }, breathe);
    return swap();
  }

  #endComponent(): void {
    const component = componentOf(this.#current);
    if (!component) return;
    this.#current = [];
    this.#writer.add(component);
  }

  #documentOf(key: string): { said: Entry[]; removed: Removal[] } {
    const known = this.#documents.get(key);
    if (known) return known;
    const made = { said: [], removed: [] };
    this.#documents.set(key, made);
    return made;
  }
}
