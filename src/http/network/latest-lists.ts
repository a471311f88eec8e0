import type { Catalog, Revision, State } from '../../catalog/catalog.js';
import { listsDigest } from '../../component/network-list.js';
import type { NetworkLists } from '../../core/network-lists.js';

/** `/peers` and `/storage` in one revision. */
export interface RevisedLists {
  readonly revision: Revision;
  readonly lists: NetworkLists;
  /** See `listsDigest`. */
  readonly digest: string;
}

/** Reads `/peers` and `/storage` once for each of their revisions. */
export class LatestLists {
  readonly #catalog: Pick<Catalog, 'state' | 'network'>;
  #current: RevisedLists | undefined;

  constructor(catalog: Pick<Catalog, 'state' | 'network'>) {
    this.#catalog = catalog;
  }

  /** The lists in a state of the registry, or in a later one. */
  async at({ networkRevision }: Pick<State, 'networkRevision'>): Promise<RevisedLists> {
    if (this.#current && includes(this.#current.revision, networkRevision)) return this.#current;
    for (;;) {
      const { networkRevision: revision } = await this.#catalog.state();
      const lists = await this.#catalog.network();
      const after = await this.#catalog.state();
      // Else the lists may be those of another revision.
      if (after.networkRevision.number !== revision.number) continue;
      if (!this.#current || !includes(this.#current.revision, revision))
        this.#current = { revision, lists, digest: listsDigest(lists) };
      return this.#current;
    }
  }
}

function includes(latest: Revision, { epoch, number }: Revision): boolean {
  return latest.epoch === epoch && latest.number >= number;
}
