import { sameBaseUrl, sameUrl } from '../../config/url.js';
import type { NetworkEntry, NetworkLists } from '../../store/network-lists.js';
import type { Introduction } from '../../store/source-record.js';

/** What a mirror lists: what its upstreams list, in their words and their order; each address once. */
export function mirrorLists(upstreams: readonly Introduction[]): NetworkLists {
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
  lists: readonly (readonly NetworkEntry[])[],
  spelling: (url: string) => string,
): readonly NetworkEntry[] {
  const known = new Map<string, NetworkEntry>();
  for (const entry of lists.flat()) {
    const name = spelling(entry.url);
    if (!known.has(name)) known.set(name, entry);
  }
  return [...known.values()];
}
