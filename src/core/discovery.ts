import type { ListedAddress } from '../component/network-list.js';
import { isHttpUrl, sameBaseUrl, sameUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { compareText } from '../lib/compare-text.js';
import { hostJudge } from './host-rules.js';
import type { Introduced, NetworkLists } from './network-lists.js';
import { type RefusalReason, RefusalTally } from './refusal.js';
import { notUsable, type OperatorRules, takeAddress } from './take.js';

export type DiscoveryRules = OperatorRules & Pick<Config, 'peers' | 'pods' | 'discovery' | 'mode'>;

/** What the peers said, by their URLs. Lists are values that never change. */
export type Introductions = ReadonlyMap<string, Introduced>;

export interface Discovered {
  readonly lists: NetworkLists;
  /** What is not read of what the peers told. */
  readonly refused: RefusalTally;
}

/**
 * Works out what follows from what the peers say. It yields after each address, so that other work can come
 * in between.
 */
export type Discover = (introductions: Introductions) => Generator<void, Discovered>;

/** The two lists, and how their entries are told apart: for a node a slash at the end means nothing. */
const LISTS = [
  { list: 'peers', kind: 'peer', spelling: sameBaseUrl, cap: 'maxPeers' },
  { list: 'storage', kind: 'pod', spelling: sameUrl, cap: 'maxPods' },
] as const;
type ListName = keyof NetworkLists;

/** One list of one peer, looked at once: to check ten thousand addresses takes a quarter of a second. */
interface CheckedList {
  /** What may be learned: in one spelling, each once with its fewest hops, in the order of URLs. */
  readonly offered: readonly ListedAddress[];
  readonly refused: ReadonlyMap<string, RefusalReason>;
}

const UNSAID: CheckedList = { offered: [], refused: new Map() };

/**
 * Whom a node knows, as a function of its configuration and of what its peers say: every order of polls comes
 * to the same end. What a peer introduces has one hop more than the peer has here and the entry has there,
 * together. So what its last sponsor drops gets farther away with each round, until it is out of reach.
 * Entries tell their way, so that a node does not take back what others have from itself.
 */
export function createDiscovery(rules: DiscoveryRules): Discover {
  if (rules.mode === 'mirror') return (introductions) => mirrored(rules, introductions);
  const { depth } = rules.discovery;
  const checked = new WeakMap<readonly ListedAddress[], CheckedList>();
  return function* (introductions) {
    for (const said of introductions.values()) {
      for (const { list, spelling } of LISTS)
        if (!checked.has(said[list])) checked.set(said[list], yield* check(said[list], spelling, rules));
    }
    const saidBy = ({ url }: ListedAddress, list: ListName) =>
      checked.get(introductions.get(url)?.[list] ?? []) ?? UNSAID;
    const known = { peers: configured(rules.peers, sameBaseUrl), storage: configured(rules.pods, sameUrl) };
    for (const { list, cap } of LISTS) {
      const [names, room] = [known[list], known[list].size + rules.discovery[cap]];
      // Who is taken up at one level can only offer what is at least one hop farther away.
      for (let hops = 1; hops <= depth && names.size < room; hops++) {
        const offers: Offer[] = [];
        for (const introducer of [...known.peers.values()].sort(byHops)) {
          yield;
          const { offered } = saidBy(introducer, list);
          const here = offered.filter((one) => introducer.hops + one.hops + 1 === hops);
          offers.push({ introducer, queue: here.values() });
        }
        const taken = inTurns(offers, names, room - names.size);
        for (const entry of taken.sort(byHops)) names.set(entry.url, entry);
      }
    }
    const tally = new RefusalTally();
    // Before all that is refused: an address counts once, and its peer could hide that another list is cut.
    for (const { url } of known.peers.values()) addCut(tally, url, introductions);
    for (const introducer of known.peers.values()) {
      for (const { list, kind, spelling } of LISTS) {
        const about = { kind, via: introducer.url };
        const { refused, offered } = saidBy(introducer, list);
        for (const [url, reason] of refused) {
          yield;
          // What the operator has named is read, whoever tells of it and how.
          const isRead = isHttpUrl(url) && known[list].has(spelling(url));
          if (!isRead) tally.add({ url, ...about, reason });
        }
        for (const { url, hops } of offered) {
          yield;
          const reason = introducer.hops + hops < depth ? 'over-cap' : 'beyond-depth';
          if (!known[list].has(url)) tally.add({ url, ...about, reason });
        }
      }
    }
    return discovered(known, tally);
  };
}

type Known = Readonly<Record<ListName, ReadonlyMap<string, ListedAddress>>>;

function discovered({ peers, storage }: Known, refused: RefusalTally): Discovered {
  return { lists: { peers: [...peers.values()], storage: [...storage.values()] }, refused };
}

/** Counts the lists of a peer that were not read to their ends. */
function addCut(tally: RefusalTally, peer: string, introductions: Introductions): void {
  const { cut = [] } = introductions.get(peer) ?? {};
  for (const { list, kind } of LISTS) {
    const url = `${sameBaseUrl(peer)}/${list}`;
    if (cut.includes(list)) tally.add({ url, kind, via: peer, reason: 'list-cut' });
  }
}

function configured(entries: readonly { readonly url: string }[], spelling: (url: string) => string) {
  return new Map<string, ListedAddress>(entries.map(({ url }) => [spelling(url), { url, hops: 0, via: [] }]));
}

function byHops(one: ListedAddress, other: ListedAddress): number {
  return one.hops - other.hops || compareText(one.url, other.url);
}

function* check(
  list: readonly ListedAddress[],
  spelling: (url: string) => string,
  rules: DiscoveryRules,
): Generator<void, CheckedList> {
  const offered = new Map<string, ListedAddress>();
  const refused = new Map<string, RefusalReason>();
  const hosts = hostJudge(rules.discovery.deny, rules.discovery.allow);
  for (const entry of list) {
    yield;
    const verdict = takeAddress(entry, rules, hosts);
    if (verdict === 'taken') addNearest(offered, { ...entry, url: spelling(entry.url) });
    else refused.set(entry.url, verdict);
  }
  return { refused, offered: [...offered.values()].sort((one, other) => compareText(one.url, other.url)) };
}

/** Of what is listed several times, what has the fewest hops counts. */
function addNearest(known: Map<string, ListedAddress>, entry: ListedAddress, key = entry.url): void {
  if (entry.hops < (known.get(key)?.hops ?? Number.POSITIVE_INFINITY)) known.set(key, entry);
}

interface Offer {
  readonly introducer: ListedAddress;
  readonly queue: IterableIterator<ListedAddress>;
}

/**
 * Up to `most` of the offered addresses that are not known yet: the introducers take turns, so that one who
 * lists thousands cannot crowd out what the others list.
 */
function inTurns(
  offers: readonly Offer[],
  known: ReadonlyMap<string, unknown>,
  most: number,
): ListedAddress[] {
  const chosen = new Map<string, ListedAddress>();
  let open = offers;
  while (open.length > 0 && chosen.size < most) {
    open = open.filter(({ introducer, queue }) => {
      let { value: next } = queue.next();
      while (next && known.has(next.url)) next = queue.next().value;
      if (!next) return false;
      const { url, hops, via } = next;
      const way = { hops: introducer.hops + hops + 1, via: [...introducer.via, introducer.url, ...via] };
      if (chosen.size < most && !chosen.has(url)) chosen.set(url, { url, ...way });
      return true;
    });
  }
  return [...chosen.values()];
}

/**
 * What a mirror lists: what its upstreams list, in their words and their order, each address once with its
 * fewest hops.
 */
function* mirrored({ peers }: DiscoveryRules, introductions: Introductions): Generator<void, Discovered> {
  const known = { peers: new Map<string, ListedAddress>(), storage: new Map<string, ListedAddress>() };
  const tally = new RefusalTally();
  for (const { url } of peers) addCut(tally, url, introductions);
  for (const { url: via } of peers) {
    for (const { list, kind, spelling } of LISTS) {
      for (const entry of introductions.get(via)?.[list] ?? []) {
        yield;
        const { url } = entry;
        if (isHttpUrl(url)) addNearest(known[list], entry, spelling(url));
        else tally.add({ url, kind, via, reason: notUsable(url) });
      }
    }
  }
  return discovered(known, tally);
}
