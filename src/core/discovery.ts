import type { ListedAddress } from '../component/network-list.js';
import { sameBaseUrl, sameUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { compareText } from '../lib/compare-text.js';
import { RefusalTally } from './discovery-refusals.js';
import { type NetworkLists, NO_NETWORK } from './network-lists.js';
import { inTurns, ListChecker, type Offer, type OfferedAddresses, type TakeAddress } from './offer.js';
import { addressRules, type OperatorRules } from './operator-rules.js';
import type { Refusals } from './refusal.js';
import { reachBehind, takeAddress } from './take.js';

export type DiscoveryRules = OperatorRules & Pick<Config, 'peers' | 'pods' | 'discovery'>;

/** What the peers said, by their URLs. */
export type Introductions = ReadonlyMap<string, NetworkLists>;

/** Whom a node knows, from what it is told. */
export interface Discovery {
  /** The lists that follow from what the peers say. Costs no more for long lists than for short ones, once they are checked. */
  lists(introductions: Introductions): NetworkLists;
  /** Checks the lists of one peer in small steps, so that the caller can let other work in between. */
  check(introduction: NetworkLists): Iterable<void>;
  /** What is refused of what the peers say, given the lists that follow from it; in small steps, like `check`. */
  refusals(introductions: Introductions, lists: NetworkLists): Generator<void, Refusals>;
}

/**
 * Whom a node knows, as a function of its configuration and of what its peers say, and of nothing else: every
 * order of polls comes to the same end. Configured entries have 0 hops. What a peer introduces has one hop
 * more than the peer has here and the entry has there, together: its distance in the network. So the way to
 * a learned entry is as long as it says and begins at a configured peer, and what its last sponsor drops
 * gets farther away with each round, until it is out of reach after `discovery.depth` of them. Entries tell
 * their way, so that a node does not even take back what others have from itself.
 */
export function createDiscovery(rules: DiscoveryRules): Discovery {
  const { depth, maxPeers, maxPods } = rules.discovery;
  const addresses = addressRules(rules);
  const take: TakeAddress = (entry) => takeAddress(entry, addresses);
  const nodes = new ListChecker(sameBaseUrl, take);
  const pods = new ListChecker(sameUrl, take);
  return {
    *refusals(introductions, { peers, storage }) {
      const gathered = new RefusalTally();
      for (const introducer of peers) {
        const said = introductions.get(introducer.url) ?? NO_NETWORK;
        const near = reachBehind(introducer, depth);
        yield* gathered.take('peer', introducer, { list: said.peers, checked: nodes, known: peers, near });
        yield* gathered.take('pod', introducer, { list: said.storage, checked: pods, known: storage, near });
      }
      return gathered.result();
    },
    *check({ peers, storage }) {
      yield* nodes.check(peers);
      yield* pods.check(storage);
    },
    lists(introductions) {
      const said = (peer: ListedAddress) => introductions.get(peer.url) ?? NO_NETWORK;
      const peers = spread(rules.peers, { spelling: sameBaseUrl, cap: maxPeers, depth }, (hops, known) =>
        offersOf(known, (peer) => nodes.at(hops - peer.hops - 1, said(peer).peers)),
      );
      const storage = spread(rules.pods, { spelling: sameUrl, cap: maxPods, depth }, (hops) =>
        offersOf(peers, (peer) => pods.at(hops - peer.hops - 1, said(peer).storage)),
      );
      return { peers, storage };
    },
  };
}

/** What each of the peers offers, the closest peer first. */
function offersOf(
  peers: readonly ListedAddress[],
  addressesOf: (peer: ListedAddress) => OfferedAddresses | undefined,
): Offer[] {
  return peers
    .toSorted((one, other) => one.hops - other.hops || compareText(one.url, other.url))
    .flatMap((introducer) => {
      const addresses = addressesOf(introducer);
      return addresses ? [{ introducer, addresses }] : [];
    });
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
  offersAt: (hops: number, known: readonly ListedAddress[]) => readonly Offer[],
): ListedAddress[] {
  const known = new Map<string, ListedAddress>();
  for (const { url } of configured) known.set(spelling(url), { url, hops: 0, via: [] });
  const full = known.size + cap;
  for (let hops = 1; hops <= depth && known.size < full; hops++) {
    const offers = offersAt(hops, [...known.values()]);
    for (const entry of inTurns(offers, known, full - known.size)) known.set(entry.url, entry);
  }
  return [...known.values()].sort(
    (one, other) => one.hops - other.hops || (one.hops === 0 ? 0 : compareText(one.url, other.url)),
  );
}
