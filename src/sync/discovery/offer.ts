import type { ListedAddress } from '../../component/network-list.js';
import { compareText } from '../../lib/compare-text.js';

/** An address that a peer introduces. */
export interface Offer extends ListedAddress {
  /** How far away it is from here, by way of this introducer. */
  readonly hops: number;
  /** The nodes on that way, the nearest first. */
  readonly via: readonly string[];
  readonly introducer: { readonly url: string; readonly hops: number };
}

/**
 * The offers of one level, each address once, in the order in which they are taken up: the introducers take
 * turns, so that one who lists thousands cannot crowd out what the others list. An address that several
 * introduce counts as that of the closest of them, or of the first by URL.
 */
export function inTurns(offers: readonly Offer[]): Offer[] {
  const turns = new Map<string, number>();
  const chosen = new Map<string, { offer: Offer; turn: number }>();
  for (const offer of offers.toSorted(byIntroducer)) {
    const { url: introducer } = offer.introducer;
    const turn = turns.get(introducer) ?? 0;
    turns.set(introducer, turn + 1);
    const known = chosen.get(offer.url);
    if (!known || turn < known.turn) chosen.set(offer.url, { offer: known?.offer ?? offer, turn });
  }
  return [...chosen.values()]
    .sort((a, b) => a.turn - b.turn || compareText(a.offer.url, b.offer.url))
    .map(({ offer }) => offer);
}

function byIntroducer({ introducer: one, url }: Offer, { introducer: other, url: otherUrl }: Offer): number {
  return one.hops - other.hops || compareText(one.url, other.url) || compareText(url, otherUrl);
}

/**
 * Prepares lists for being looked at again and again: only what may be learned, in one spelling. Lists are
 * values that never change, so each is prepared once.
 */
export function preparation(
  spelling: (url: string) => string,
  admits: (entry: ListedAddress) => boolean,
): (list: readonly ListedAddress[]) => readonly ListedAddress[] {
  const prepared = new WeakMap<readonly ListedAddress[], readonly ListedAddress[]>();
  return (list) => {
    const known = prepared.get(list);
    if (known) return known;
    const result = list.filter(admits).map((entry) => ({ ...entry, url: spelling(entry.url) }));
    prepared.set(list, result);
    return result;
  };
}
