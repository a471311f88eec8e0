import type { ListedAddress } from '../component/network-list.js';
import { isHttpUrl, sameBaseUrl, sameUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { parsedUrl } from '../lib/can-parse-url.js';
import { compareText } from '../lib/compare-text.js';
import { hostJudge } from './host-rules.js';
import type { Introduced, NetworkLists } from './network-lists.js';
import { type Refusal, type Refusals, RefusalTally } from './refusal.js';
import { notUsable, type OperatorRules, type Refused, takeAddress } from './take.js';

export type DiscoveryRules = OperatorRules & Pick<Config, 'peers' | 'pods' | 'discovery' | 'mode'>;

/** What the peers said, by their URLs. Lists are values that never change. */
export type Introductions = ReadonlyMap<string, Introduced>;

/** Whom a node knows, and what is not read of what the peers told. */
export interface Discovered {
  readonly lists: NetworkLists;
  readonly refusals: Refusals;
  /**
   * Why addresses are not read, or others that they begin with: one answer for each of these that a peer has told of, first
   * for the addresses themselves, in their order. Of very many that these begin with, those nearest to the host are looked up.
   */
  readonly refusalsAbove: (uris: readonly string[]) => readonly Refusal[];
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
    const told = [...peers.values()].flatMap((introducer) =>
      LISTS.map((one) => ({ ...one, introducer, ...saidBy(introducer, one.list) })),
    );
    /** Why an address of a list is not read; undefined where it is, or is not in it. */
    const refusalOf = (url: string, one: (typeof told)[number]) => {
      const { introducer, list, kind, spelling, refused, offered } = one;
      const found = refused.get(url);
      if (found) {
        // What the operator has named is read, whoever tells of it and how.
        const isRead = isHttpUrl(url) && known[list].has(spelling(url));
        return isRead ? undefined : { url, kind, via: introducer.url, ...found };
      }
      for (const [hops, addresses] of offered) {
        if (!addresses.has(url)) continue;
        if (known[list].has(url)) return undefined;
        const reason = introducer.hops + hops < depth ? 'over-cap' : 'beyond-depth';
        return { url, kind, via: introducer.url, reason } as const;
      }
      return undefined;
    };
    const tally = new RefusalTally();
    for (const peer of peers.keys()) for (const cut of cutLists(peer, introductions)) tally.add(cut);
    for (const one of told) {
      for (const addresses of [one.refused, ...one.offered.values()]) {
        for (const url of addresses.keys()) {
          yield;
          const refusal = refusalOf(url, one);
          if (refusal) tally.add(refusal);
        }
      }
    }
    const refusalsAbove = (uris: readonly string[]) => {
      const found = new Map<string, Refusal>();
      for (const url of addressesAbove(uris)) {
        for (const one of told) {
          const refusal = refusalOf(url, one);
          const name = refusal && `${refusal.kind} ${url}`;
          if (name && !found.has(name)) found.set(name, refusal);
        }
      }
      return [...found.values()];
    };
    const lists = { peers: [...peers.values()], storage: [...storage.values()] };
    return { lists, refusals: tally.refusals, refusalsAbove };
  };
}

/** About as many addresses are looked up for one question: with a hundred peers, that takes less than a tenth of a second. */
const MOST_ABOVE = 1_000;

/**
 * URLs, and the addresses at the same hosts that they may belong to, with and without a slash at the end. All of them in
 * turns, each from its host on: so one with very many folders leaves room for the others.
 */
function addressesAbove(uris: readonly string[]): readonly string[] {
  // Lists have the names of hosts as the parser writes them.
  const all = new Set(uris.flatMap((uri) => [uri, parsedUrl(uri)?.href ?? uri]));
  const above = new Set(all);
  let open = [...all].map((uri) => ({ uri, end: uri.indexOf('//') + 1 }));
  while (open.length > 0 && above.size < MOST_ABOVE) {
    open = open
      .map(({ uri, end }) => ({ uri, end: uri.indexOf('/', end + 1) }))
      .filter(({ end }) => end >= 0);
    for (const { uri, end } of open) above.add(uri.slice(0, end)).add(uri.slice(0, end + 1));
  }
  return [...above];
}

/** Lists of a peer that were not read to their ends. */
function cutLists(peer: string, introductions: Introductions): readonly Refusal[] {
  const { cut = [] } = introductions.get(peer) ?? {};
  return LISTS.filter(({ list }) => cut.includes(list)).map(({ list, kind }): Refusal => {
    return { url: `${sameBaseUrl(peer)}/${list}`, kind, via: peer, reason: 'list-cut' };
  });
}

function byHops(one: ListedAddress, other: ListedAddress): number {
  return one.hops - other.hops || compareText(one.url, other.url);
}

function* check(
  list: readonly ListedAddress[],
  spelling: (url: string) => string,
  rules: DiscoveryRules,
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
    // What is too far away is so at any distance.
    const hops = Math.min(entry.hops, rules.discovery.depth);
    const byUrl = byHops.get(hops) ?? new Map<string, ListedAddress>();
    byHops.set(hops, byUrl);
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
  const refused = new Map<string, Refusal>();
  const refuse = (one: Refusal) => {
    tally.add(one);
    const name = `${one.kind} ${one.url}`;
    if (!refused.has(name)) refused.set(name, one);
  };
  for (const upstream of upstreams) {
    for (const cut of cutLists(upstream, introductions)) refuse(cut);
    for (const { list, kind, spelling } of LISTS) {
      for (const entry of introductions.get(upstream)?.[list] ?? []) {
        yield;
        const { url } = entry;
        if (!isHttpUrl(url)) {
          refuse({ url, kind, via: upstream, ...notUsable(url) });
          continue;
        }
        const name = spelling(url);
        const before = known[list].get(name);
        if (!before || entry.hops < before.hops) known[list].set(name, entry);
      }
    }
  }
  const lists = { peers: [...known.peers.values()], storage: [...known.storage.values()] };
  const refusalsAbove = (uris: readonly string[]) =>
    addressesAbove(uris).flatMap((url) => LISTS.flatMap(({ kind }) => refused.get(`${kind} ${url}`) ?? []));
  return { lists, refusals: tally.refusals, refusalsAbove };
}
