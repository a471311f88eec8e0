import type { ListedAddress } from '../component/network-list.js';
import { compareText } from '../lib/compare-text.js';
import type { Refused } from './take.js';

/** Addresses that a list gives the same number of hops. */
export interface OfferedAddresses {
  /** In the order of their URLs, each once. */
  readonly inOrder: readonly ListedAddress[];
  readonly byUrl: ReadonlyMap<string, ListedAddress>;
}

/** What one introducer offers at one distance from here. */
export interface Offer {
  readonly introducer: ListedAddress;
  readonly addresses: OfferedAddresses;
}

/**
 * Up to `most` of the offered addresses that are not known yet, in the order in which they are taken up: the
 * introducers take turns, so that one who lists thousands cannot crowd out what the others list. An address that
 * several introduce counts as that of the first of them in `offers`. Costs no more than what is taken up and what
 * is known already, for each introducer, however long their lists are.
 */
export function inTurns(
  offers: readonly Offer[],
  known: ReadonlyMap<string, unknown>,
  most: number,
): ListedAddress[] {
  const queues = offers.map(({ addresses }) => unknownIn(addresses.inOrder, known));
  const chosen = new Set<string>();
  for (let turn = [...oneOfEach(queues)]; turn.length > 0; turn = [...oneOfEach(queues)]) {
    for (const url of turn.sort(compareText)) {
      if (chosen.size < most) chosen.add(url);
    }
    if (chosen.size === most) break;
  }
  return [...chosen].flatMap((url) => asIntroducedFirst(url, offers));
}

function* unknownIn(
  addresses: readonly ListedAddress[],
  known: ReadonlyMap<string, unknown>,
): Generator<string> {
  for (const { url } of addresses) if (!known.has(url)) yield url;
}

function* oneOfEach(queues: readonly Iterator<string>[]): Generator<string> {
  for (const queue of queues) {
    const next = queue.next();
    if (!next.done) yield next.value;
  }
}

function asIntroducedFirst(url: string, offers: readonly Offer[]): ListedAddress[] {
  for (const { introducer, addresses } of offers) {
    const found = addresses.byUrl.get(url);
    if (!found) continue;
    const hops = introducer.hops + found.hops + 1;
    return [{ url, hops, via: [...introducer.via, introducer.url, ...found.via] }];
  }
  return [];
}

export type TakeAddress = (entry: ListedAddress) => Refused | 'taken';

/** An address that may not be learned. */
export interface RefusedAddress extends Refused {
  readonly url: string;
}

interface CheckedList {
  /** By hops. */
  readonly offered: ReadonlyMap<number, OfferedAddresses>;
  readonly refused: readonly RefusedAddress[];
}

/**
 * Checks lists of peers once, to look at them again and again: what may be learned, in one spelling, by hops. Lists
 * are values that never change.
 */
export class ListChecker {
  readonly #spelling: (url: string) => string;
  readonly #take: TakeAddress;
  readonly #checked = new WeakMap<readonly ListedAddress[], CheckedList>();

  constructor(spelling: (url: string) => string, take: TakeAddress) {
    this.#spelling = spelling;
    this.#take = take;
  }

  /**
   * Checks a list that was not checked before. A long list takes a quarter of a second, which the caller may
   * interrupt after each entry.
   */
  *check(list: readonly ListedAddress[]): Generator<void> {
    if (this.#checked.has(list)) return;
    const byHops = new Map<number, Map<string, ListedAddress>>();
    const refused: RefusedAddress[] = [];
    for (const entry of list) {
      yield;
      const verdict = this.#take(entry);
      if (verdict !== 'taken') {
        refused.push({ ...verdict, url: entry.url });
        continue;
      }
      const url = this.#spelling(entry.url);
      const byUrl = byHops.get(entry.hops) ?? new Map<string, ListedAddress>();
      byHops.set(entry.hops, byUrl);
      if (!byUrl.has(url)) byUrl.set(url, { ...entry, url });
    }
    const offered = new Map<number, OfferedAddresses>();
    for (const [hops, byUrl] of byHops) offered.set(hops, { inOrder: inOrderOfUrls(byUrl.values()), byUrl });
    this.#checked.set(list, { offered, refused });
  }

  /** What of a list may not be learned, in its order. */
  refused(list: readonly ListedAddress[]): readonly RefusedAddress[] {
    for (const _ of this.check(list));
    return this.#checked.get(list)?.refused ?? [];
  }

  /** What a list offers with more hops than these. */
  beyond(hops: number, list: readonly ListedAddress[]): readonly ListedAddress[] {
    for (const _ of this.check(list));
    const offered = [...(this.#checked.get(list)?.offered ?? [])];
    return offered.flatMap(([distance, { inOrder }]) => (distance > hops ? inOrder : []));
  }

  /** What a list offers with so many hops. A list that was not checked before is checked now. */
  at(hops: number, list: readonly ListedAddress[]): OfferedAddresses | undefined {
    for (const _ of this.check(list));
    return this.#checked.get(list)?.offered.get(hops);
  }
}

function inOrderOfUrls(entries: Iterable<ListedAddress>): ListedAddress[] {
  return [...entries].sort((one, other) => compareText(one.url, other.url));
}
