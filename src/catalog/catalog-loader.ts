import type { Naming } from '../component/naming.js';
import type { Breather, Pace } from '../lib/pace.js';
import { sortedBy } from '../lib/sort.js';
import { type CatalogContents, changeContents, editOf } from './catalog-change.js';
import { indexOf, LazyIndex } from './catalog-index.js';
import { componentOf, documentKey, type Entry, statementKey } from './entry.js';
import { Listing } from './listing.js';
import type { Removal } from './removal.js';
import { RunWriter } from './run.js';

/**
 * Builds the contents of a catalog while a start reads statements in the order of uris. Those that come too late, because their
 * order is that of other characters, are left to an ordinary change.
 */
export class CatalogLoader {
  readonly #naming: Naming;
  readonly #pace: Pace;
  readonly #writer = new RunWriter();
  readonly #documents = new Map<string, Entry[]>();
  readonly #late: Entry[] = [];
  /** What is said of the component that is being read. */
  #current: Entry[] = [];

  constructor(naming: Naming, pace: Pace) {
    this.#naming = naming;
    this.#pace = pace;
  }

  add(entry: Entry): void {
    const { uri } = entry;
    const current = this.#current[0]?.uri ?? '';
    if (uri < current) {
      this.#late.push(entry);
      return;
    }
    if (uri !== current) this.#endComponent();
    this.#current.push(entry);
    const { key } = entry.origin;
    const inDocument = this.#documents.get(key);
    if (inDocument) inDocument.push(entry);
    else this.#documents.set(key, [entry]);
  }

  /** @param removals in any order */
  async end(removals: readonly Removal[], breathe: Breather): Promise<CatalogContents> {
    this.#endComponent();
    this.#writer.end();
    const listing = new Listing(this.#writer.runs);
    const remembered = new Map<string, Removal>();
    for (const one of await sortedBy(removals, ({ position }) => position, breathe)) {
      remembered.set(statementKey(documentKey(one), one.uri), one);
      await breathe();
    }
    const index = new LazyIndex(() => indexOf(listing, remembered.values(), this.#pace()));
    const contents: CatalogContents = {
      naming: this.#naming,
      listing,
      index,
      documents: this.#documents,
      removals: remembered,
    };
    const swap = await changeContents(contents, this.#late.map(editOf), breathe);
    return swap ? swap() : contents;
  }

  #endComponent(): void {
    const component = componentOf(this.#current);
    this.#current = [];
    if (component) this.#writer.add(component);
  }
}
