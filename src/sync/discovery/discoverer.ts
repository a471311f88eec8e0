import type { Config } from '../../config.js';
import type { Pace } from '../../lib/pace.js';
import { type NetworkLists, NO_NETWORK } from '../../registry/network-lists.js';
import { NO_REFUSALS, type Refusals } from '../../registry/refusal.js';
import { createDiscovery, type DiscoveryRules, type Introductions } from './discovery.js';
import { mirrorLists } from './mirror-lists.js';

/** What follows from what peers say. */
export type Discover = (introductions: Introductions) => Promise<{ lists: NetworkLists; refusals: Refusals }>;

/** Whom a node knows: see `createDiscovery`; a mirror knows whom its upstreams know. */
export function discovererFor(config: DiscoveryRules & Pick<Config, 'mode'>, pace: Pace): Discover {
  if (config.mode === 'mirror') {
    const said = (introductions: Introductions) =>
      config.peers.map(({ url }) => introductions.get(url) ?? NO_NETWORK);
    return async (introductions) => ({
      lists: await mirrorLists(said(introductions), pace()),
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
