import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl, sameUrl } from '../../config/url.js';
import type { NetworkLists } from '../../registry/network-lists.js';

/** What a mirror lists: what its upstreams list, in their words and their order; each address once. */
export function mirrorLists(upstreams: readonly NetworkLists[]): NetworkLists {
  return {
    peers: union(
      upstreams.map(({ peers }) => peers),
      sameBaseUrl,
    ),
    storage: union(
      upstreams.map(({ storage }) => storage),
      sameUrl,
    ),
  };
}

function union(
  lists: readonly (readonly ListedAddress[])[],
  spelling: (url: string) => string,
): readonly ListedAddress[] {
  const known = new Map<string, ListedAddress>();
  for (const entry of lists.flat()) {
    const name = spelling(entry.url);
    if (!known.has(name)) known.set(name, entry);
  }
  return [...known.values()];
}
