import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl, sameUrl } from '../../config/url.js';
import type { Config } from '../../config.js';
import { compareText } from '../../lib/compare-text.js';
import type { NetworkLists } from '../../registry/network-lists.js';

import { createAdmission } from './admission.js';
import { inTurns, type Offer, preparation } from './offer.js';

export type DiscoveryRules = Pick<Config, 'baseUrl' | 'peers' | 'pods' | 'discovery' | 'network'>;

/** What the peers said, by their URLs. */
export type Introductions = ReadonlyMap<string, NetworkLists>;

/**
 * Whom a node knows, as a function of its configuration and of what its peers say, and of nothing else: every
 * order of polls comes to the same end. Configured entries have 0 hops. What a peer introduces has one hop
 * more than the peer has here and the entry has there, together: its distance in the network. So the way to
 * a learned entry is as long as it says and begins at a configured peer, and what its last sponsor drops
 * gets farther away with each round, until it is out of reach after `discovery.depth` of them. Entries tell
 * their way, so that a node does not even take back what others have from itself.
 */
export function createDiscovery(rules: DiscoveryRules): (introductions: Introductions) => NetworkLists {
  const { depth, maxPeers, maxPods } = rules.discovery;
  const admits = createAdmission(rules);
  const nodes = preparation(sameBaseUrl, admits);
  const pods = preparation(sameUrl, admits);
  return (introductions) => {
    const offersOf = (list: keyof NetworkLists, prepare: typeof nodes) => (introducer: ListedAddress) =>
      prepare(introductions.get(introducer.url)?.[list] ?? []).map(
        ({ url, hops, via }): Offer => ({
          url,
          hops: introducer.hops + hops + 1,
          via: [...introducer.via, introducer.url, ...via],
          introducer,
        }),
      );
    const peers = spread(rules.peers, { spelling: sameBaseUrl, cap: maxPeers, depth }, (known) =>
      known.flatMap(offersOf('peers', nodes)),
    );
    const offered = peers.flatMap(offersOf('storage', pods));
    const storage = spread(rules.pods, { spelling: sameUrl, cap: maxPods, depth }, () => offered);
    return { peers, storage };
  };
}

interface Bounds {
  readonly spelling: (url: string) => string;
  /** Entries that may be learned. */
  readonly cap: number;
  readonly depth: number;
}

/**
 * Takes up what is offered, the closest first. Who is taken up at one level can only offer what is at least
 * one hop farther away, so each level is complete when it is looked at, and nothing later changes it.
 */
function spread(
  configured: readonly { readonly url: string }[],
  { spelling, cap, depth }: Bounds,
  offers: (known: readonly ListedAddress[]) => readonly Offer[],
): ListedAddress[] {
  const known = new Map<string, ListedAddress>();
  for (const { url } of configured) known.set(spelling(url), { url, hops: 0, via: [] });
  const full = known.size + cap;
  for (let hops = 1; hops <= depth && known.size < full; hops++) {
    const level = offers([...known.values()]).filter((offer) => offer.hops === hops && !known.has(offer.url));
    for (const { url, via } of inTurns(level).slice(0, full - known.size)) {
      known.set(url, { url, hops, via });
    }
  }
  return [...known.values()].sort(
    (one, other) => one.hops - other.hops || (one.hops === 0 ? 0 : compareText(one.url, other.url)),
  );
}
