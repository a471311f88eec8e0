import type { ListedAddress } from '../component/network-list.js';
import { isHttpUrl, sameBaseUrl, sameUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { parsedUrl } from '../lib/can-parse-url.js';
import { compareText } from '../lib/compare-text.js';
import { hostJudge } from './host-rules.js';
import type { Introduced, NetworkLists } from './network-lists.js';
import { type Refusal, type Refusals, RefusalTally } from './refusal.js';
import { type OperatorRules, type Refused, takeAddress } from './take.js';

export type DiscoveryRules = OperatorRules & Pick<Config, 'peers' | 'pods' | 'discovery' | 'mode'>;

/** What the peers said, by their URLs. Lists are values that never change. */
export type Introductions = ReadonlyMap<string, Introduced>;

/** Whom a node knows, and what is not read of what the peers told. */
export interface Discovered {
  readonly lists: NetworkLists;
  readonly refusals: Refusals;
  /** Why an address is not read, or one that it begins with: one answer for each of these that a peer has told of. */
  readonly refusalsAbove: (uri: string) => readonly Refusal[];
}

/** Works out what follows from what the peers say. It yields after each address, so that the caller can let other work in between. */
export type Discover = (introductions: Introductions) => Generator<void, Discovered>;

/** The two lists, and how their entries are told apart: for a node a slash at the end means nothing. */
const LISTS = [
  { list: 'peers', kind: 'peer', spelling: sameBaseUrl },
  { list: 'storage', kind: 'pod', spelling: sameUrl },
] as const;
type ListName = keyof NetworkLists;

/** One list of one peer, looked at once: to check ten thousand addresses takes a quarter of a second. */
interface CheckedList {
  /** What may be learned, by hops: in one spelling, each once, in the order of URLs. */
  readonly offered: ReadonlyMap<number, ReadonlyMap<string, ListedAddress>>;
  readonly refused: ReadonlyMap<string, Refused>;
}

const UNSAID: CheckedList = { offered: new Map(), refused: new Map() };

/** What one peer offers at one distance from here. */
interface Offer {
  readonly introducer: ListedAddress;
  readonly addresses: ReadonlyMap<string, ListedAddress>;
}

/**
 * Whom a node knows, as a function of its configuration and of what its peers say, and of nothing else: every
 * order of polls comes to the same end. Configured entries have 0 hops. What a peer introduces has one hop
 * more than the peer has here and the entry has there, together: its distance in the network. So the way to
 * a learned entry is as long as it says and begins at a configured peer, and what its last sponsor drops
 * gets farther away with each round, until it is out of reach after `discovery.depth` of them. Entries tell
 * their way, so that a node does not even take back what others have from itself. A mirror knows whom its upstreams know.
 */
export function createDiscovery(rules: DiscoveryRules): Discover {
  if (rules.mode === 'mirror')
    return (introductions) =>
      mirrored(
        rules.peers.map(({ url }) => url),
        introductions,
      );
  const { depth, maxPeers, maxPods } = rules.discovery;
  const checked = new WeakMap<readonly ListedAddress[], CheckedList>();
  return function* (introductions) {
    for (const said of introductions.values()) {
      for (const { list, spelling } of LISTS) {
        if (!checked.has(said[list])) checked.set(said[list], yield* check(said[list], spelling, rules));
      }
    }
    const saidBy = ({ url }: ListedAddress, list: ListName) =>
      checked.get(introductions.get(url)?.[list] ?? []) ?? UNSAID;
    const offersAt = (hops: number, list: ListName, known: Iterable<ListedAddress>) =>
      [...known].sort(byHops).flatMap((introducer): Offer[] => {
        const offered = saidBy(introducer, list).offered.get(hops - introducer.hops - 1);
        return offered ? [{ introducer, addresses: offered }] : [];
      });
    const peers = spread(rules.peers, { spelling: sameBaseUrl, cap: maxPeers, depth }, (hops, known) =>
      offersAt(hops, 'peers', known),
    );
    const storage = spread(rules.pods, { spelling: sameUrl, cap: maxPods, depth }, (hops) =>
      offersAt(hops, 'storage', peers.values()),
    );
    const known = { peers, storage };
    /** Why an address that a peer tells of is not read; undefined where it is, or is not told of. */
    const refusalOf = (url: string, introducer: ListedAddress, { list, kind }: (typeof LISTS)[number]) => {
      const { refused, offered } = saidBy(introducer, list);
      const told = { url, kind, via: introducer.url };
      const found = refused.get(url);
      if (found) return { ...told, ...found };
      const [hops] = [...offered].find(([, addresses]) => addresses.has(url)) ?? [];
      if (hops === undefined || known[list].has(url)) return undefined;
      const reason = introducer.hops + hops < depth ? 'over-cap' : 'beyond-depth';
      return { ...told, reason } as const;
    };
    const tally = new RefusalTally();
    for (const introducer of peers.values()) {
      addCut(tally, introducer.url, introductions);
      for (const one of LISTS) {
        const { refused, offered } = saidBy(introducer, one.list);
        for (const addresses of [refused, ...offered.values()]) {
          for (const url of addresses.keys()) {
            yield;
            const refusal = refusalOf(url, introducer, one);
            if (refusal) tally.add(refusal);
          }
        }
      }
    }
    const refusalsAbove = (uri: string) => {
      const found = new RefusalTally();
      const above = addressesAbove(uri);
      for (const introducer of peers.values())
        for (const one of LISTS)
          for (const url of above) {
            const refusal = refusalOf(url, introducer, one);
            if (refusal) found.add(refusal);
          }
      return found.refusals.examples;
    };
    const lists = { peers: [...peers.values()], storage: [...storage.values()] };
    return { lists, refusals: tally.refusals, refusalsAbove };
  };
}

/** Addresses that are looked up for one URL. */
const MOST_ABOVE = 100;

/** A URL, and the addresses at the same origin that it may belong to, with and without a slash at the end. */
function addressesAbove(uri: string): ReadonlySet<string> {
  const origin = parsedUrl(uri)?.origin ?? uri;
  const above = new Set([uri]);
  for (let end = uri.indexOf('/', origin.length); end >= 0; end = uri.indexOf('/', end + 1)) {
    if (above.size >= MOST_ABOVE) break;
    above.add(uri.slice(0, end)).add(uri.slice(0, end + 1));
  }
  return above;
}

/** What a peer lists, and was not read to its end. */
function addCut(tally: RefusalTally, peer: string, introductions: Introductions): void {
  for (const { list, kind } of LISTS) {
    const isCut = introductions.get(peer)?.cut?.includes(list);
    const url = `${sameBaseUrl(peer)}/${list}`;
    if (isCut) tally.add({ url, kind, via: peer, reason: 'list-cut' });
  }
}

function byHops(one: ListedAddress, other: ListedAddress): number {
  return one.hops - other.hops || compareText(one.url, other.url);
}

function* check(
  list: readonly ListedAddress[],
  spelling: (url: string) => string,
  rules: OperatorRules,
): Generator<void, CheckedList> {
  const byHops = new Map<number, Map<string, ListedAddress>>();
  const refused = new Map<string, Refused>();
  const hosts = hostJudge(rules.discovery.deny, rules.discovery.allow);
  for (const entry of list) {
    yield;
    const verdict = takeAddress(entry, rules, hosts);
    if (verdict !== 'taken') {
      refused.set(entry.url, verdict);
      continue;
    }
    const url = spelling(entry.url);
    const byUrl = byHops.get(entry.hops) ?? new Map<string, ListedAddress>();
    byHops.set(entry.hops, byUrl);
    if (!byUrl.has(url)) byUrl.set(url, { ...entry, url });
  }
  const sorted = (byUrl: ReadonlyMap<string, ListedAddress>) =>
    new Map([...byUrl].sort(([one], [other]) => compareText(one, other)));
  return { refused, offered: new Map([...byHops].map(([hops, byUrl]) => [hops, sorted(byUrl)])) };
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
 * @returns by spelling, those that are configured in their order, then the others by hops and URL
 */
function spread(
  configured: readonly { readonly url: string }[],
  { spelling, cap, depth }: Bounds,
  offersAt: (hops: number, known: Iterable<ListedAddress>) => readonly Offer[],
): ReadonlyMap<string, ListedAddress> {
  const known = new Map<string, ListedAddress>();
  for (const { url } of configured) known.set(spelling(url), { url, hops: 0, via: [] });
  const full = known.size + cap;
  for (let hops = 1; hops <= depth && known.size < full; hops++) {
    const taken = inTurns(offersAt(hops, known.values()), known, full - known.size);
    for (const entry of taken.sort(byHops)) known.set(entry.url, entry);
  }
  return known;
}

/**
 * Up to `most` of the offered addresses that are not known yet: the introducers take turns, so that one who lists thousands
 * cannot crowd out what the others list. An address that several introduce counts as that of the first of them in `offers`.
 * Looks at no more of a list than is taken up and known already.
 */
function inTurns(
  offers: readonly Offer[],
  known: ReadonlyMap<string, unknown>,
  most: number,
): ListedAddress[] {
  const queues = offers.map(({ addresses }) => addresses.keys());
  const nextOf = (queue: Iterator<string>) => {
    let next = queue.next();
    while (!next.done && known.has(next.value)) next = queue.next();
    return next.done ? [] : [next.value];
  };
  const chosen = new Set<string>();
  while (chosen.size < most) {
    const turn = queues.flatMap(nextOf);
    if (turn.length === 0) break;
    for (const url of turn.sort(compareText)) if (chosen.size < most) chosen.add(url);
  }
  return [...chosen].flatMap((url) => {
    const { introducer, addresses } = offers.find((offer) => offer.addresses.has(url)) ?? {};
    const found = addresses?.get(url);
    if (!introducer || !found) return [];
    const via = [...introducer.via, introducer.url, ...found.via];
    return { url, hops: introducer.hops + found.hops + 1, via };
  });
}

/**
 * What a mirror lists: what its upstreams list, in their words and their order; each address once. Whom one of them has
 * configured counts as that.
 */
function* mirrored(upstreams: readonly string[], introductions: Introductions): Generator<void, Discovered> {
  const known = { peers: new Map<string, ListedAddress>(), storage: new Map<string, ListedAddress>() };
  const tally = new RefusalTally();
  for (const upstream of upstreams) {
    addCut(tally, upstream, introductions);
    for (const { list, kind, spelling } of LISTS) {
      for (const entry of introductions.get(upstream)?.[list] ?? []) {
        const { url } = entry;
        if (!isHttpUrl(url)) {
          tally.add({ url, kind, via: upstream, reason: 'no-iri' });
          continue;
        }
        const name = spelling(url);
        const before = known[list].get(name);
        if (!before || entry.hops < before.hops) known[list].set(name, entry);
        yield;
      }
    }
  }
  const lists = { peers: [...known.peers.values()], storage: [...known.storage.values()] };
  const { refusals } = tally;
  const refusalsAbove = (uri: string) => {
    const above = addressesAbove(uri);
    return refusals.examples.filter(({ url }) => above.has(url));
  };
  return { lists, refusals, refusalsAbove };
}
