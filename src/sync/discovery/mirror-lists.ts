import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl, sameUrl } from '../../config/url.js';
import type { Breather } from '../../lib/pace.js';
import type { NetworkLists } from '../../registry/network-lists.js';

/** What a mirror lists: what its upstreams list, in their words and their order; each address once. */
export async function mirrorLists(
  upstreams: readonly NetworkLists[],
  breathe: Breather,
): Promise<NetworkLists> {
  return {
    peers: await union(
      upstreams.map(({ peers }) => peers),
      sameBaseUrl,
      breathe,
    ),
    storage: await union(
      upstreams.map(({ storage }) => storage),
      sameUrl,
      breathe,
    ),
  };
}

async function union(
  lists: readonly (readonly ListedAddress[])[],
  spelling: (url: string) => string,
  breathe: Breather,
): Promise<readonly ListedAddress[]> {
  const known = new Map<string, ListedAddress>();
  for (const list of lists) {
    for (const entry of list) {
      const name = spelling(entry.url);
      if (!known.has(name)) known.set(name, entry);
      await breathe();
    }
  }
  return [...known.values()];
}
