import type { ListedAddress } from '../component/network-list.js';
import { sameBaseUrl, sameUrl } from '../config/url.js';
import type { Config } from '../config.js';
import type { Breather, Pace } from '../lib/pace.js';
import { createDiscovery, type DiscoveryRules, type Introductions } from './discovery.js';
import { type NetworkLists, NO_NETWORK } from './network-lists.js';
import { NO_REFUSALS, type Refusals } from './refusal.js';

/** What follows from what peers say. */
export type Discover = (introductions: Introductions) => Promise<{ lists: NetworkLists; refusals: Refusals }>;

/** Whom a node knows: see `createDiscovery`; a mirror knows whom its upstreams know. */
export function discovererFor(config: DiscoveryRules & Pick<Config, 'mode'>, pace: Pace): Discover {
  if (config.mode === 'mirror') {
    return async (introductions) => ({
      lists: await mirrorLists(
        config.peers.map(({ url }) => introductions.get(url) ?? NO_NETWORK),
        pace(),
      ),
      refusals: NO_REFUSALS,
    });
  }
  const discovery = createDiscovery(config);
  return async (introductions) => {
    const breathe = pace();
    for (const introduction of introductions.values()) {
      for (const _ of discovery.check(introduction)) await breathe();
    }
    const lists = discovery.lists(introductions);
    const refusing = discovery.refusals(introductions, lists);
    for (;;) {
      const step = refusing.next();
      if (step.done) return { lists, refusals: step.value };
      await breathe();
    }
  };
}

/**
 * What a mirror lists: what its upstreams list, in their words and their order; each address once. Whom one of them has
 * configured counts as that.
 */
export async function mirrorLists(
  upstreams: readonly NetworkLists[],
  breathe: Breather,
): Promise<NetworkLists> {
  const [peers, storage] = [new Map<string, ListedAddress>(), new Map<string, ListedAddress>()];
  const add = async (known: Map<string, ListedAddress>, name: string, entry: ListedAddress) => {
    const before = known.get(name);
    if (!before || entry.hops < before.hops) known.set(name, entry);
    await breathe();
  };
  for (const said of upstreams) {
    for (const entry of said.peers) await add(peers, sameBaseUrl(entry.url), entry);
    for (const entry of said.storage) await add(storage, sameUrl(entry.url), entry);
  }
  return { peers: [...peers.values()], storage: [...storage.values()] };
}
