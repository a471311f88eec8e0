import type { Catalog, Revision } from '../../catalog/catalog.js';
import { listsDigest } from '../../component/network-list.js';
import type { NetworkLists } from '../../core/network-lists.js';

/** `/peers` and `/storage` in their present revision. `digest`: see `listsDigest`. */
export type LatestLists = () => Promise<{
  readonly revision: Revision;
  readonly lists: NetworkLists;
  readonly digest: string;
}>;

/** Reads the lists once for each of their revisions. */
export function latestListsOf(catalog: Pick<Catalog, 'state' | 'network'>): LatestLists {
  let latest: Awaited<ReturnType<LatestLists>> | undefined;
  return async () => {
    for (;;) {
      const { networkRevision: revision } = await catalog.state();
      const { epoch, number } = revision;
      if (latest?.revision.number === number && latest.revision.epoch === epoch) return latest;
      const lists = await catalog.network();
      const { networkRevision: after } = await catalog.state();
      // Else the lists may be those of another revision.
      if (after.number === number) latest = { revision, lists, digest: listsDigest(lists) };
    }
  };
}
