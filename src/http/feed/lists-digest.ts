import { listsDigest } from '../../component/network-list.js';
import type { Catalog } from '../../registry/catalog.js';
import type { State } from '../../registry/state.js';

/**
 * What `/peers` and `/storage` say, in short. Every page of the feed tells it in a header, so that readers notice what was
 * wrong in lists that they have read; who is told that nothing has changed since can ask for it by HEAD.
 */
export class ListsDigest {
  readonly #catalog: () => Catalog;
  /** The revision of the lists that it was worked out for. */
  #revision = '';
  #digest = '';

  constructor(catalog: () => Catalog) {
    this.#catalog = catalog;
  }

  async headers({ networkRevision: { epoch, number } }: State): Promise<Record<string, string>> {
    const revision = `${epoch} ${number}`;
    if (revision !== this.#revision) {
      const digest = listsDigest(await this.#catalog().network());
      [this.#revision, this.#digest] = [revision, digest];
    }
    return { 'feed-lists': this.#digest };
  }
}
