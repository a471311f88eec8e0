import { type ListedAddress, MOST_LISTED } from '../component/network-list.js';
import { isHttpUrl } from '../config/url.js';
import { type NetworkLists, NO_NETWORK } from '../core/network-lists.js';
import type { SourceRecord } from '../registry/source-record.js';

/** What older versions kept in the memo of a peer's record. */
type FormerMemo = { readonly [list in keyof NetworkLists]?: { readonly entries?: readonly ListedAddress[] } };

/** Whom a peer introduces, as far as it has been read. */
export function introductionIn(record: SourceRecord | undefined): NetworkLists {
  if (record?.introduced) return record.introduced;
  const { peers, storage } = (record?.memo ?? {}) as FormerMemo;
  return { peers: peers?.entries ?? NO_NETWORK.peers, storage: storage?.entries ?? NO_NETWORK.storage };
}

/** Is the same introduced, in the same order? */
export function sameIntroduction(one: NetworkLists, other: NetworkLists | undefined): boolean {
  return other !== undefined && sameList(one.peers, other.peers) && sameList(one.storage, other.storage);
}

function sameList(one: readonly ListedAddress[], other: readonly ListedAddress[]): boolean {
  return one === other || (one.length === other.length && JSON.stringify(one) === JSON.stringify(other));
}

/** Characters of a URL that is kept. */
const LONGEST_URL = 2048;

/** The entries of a list that are worth keeping, in the order in which they were listed; it is read no further than needed. */
export function usableEntries(listed: Iterable<ListedAddress>): ListedAddress[] {
  const entries: ListedAddress[] = [];
  for (const { url, hops, via } of listed) {
    if (entries.length === MOST_LISTED.entries) break;
    if (isUsable(url)) entries.push({ url, hops, via: via.filter(isUsable).slice(0, MOST_LISTED.via) });
  }
  return entries;
}

function isUsable(url: string): boolean {
  return url.length <= LONGEST_URL && isHttpUrl(url);
}
