import { findPodAmong } from '../../core/find-pod.js';
import { sameAuthority } from '../../core/precedence.js';
import type { DocumentReading } from '../../core/reading.js';
import { type AuthorityOf, unknownOrder, upstreamOrder } from '../../core/upstream-order.js';
import type { PeerLists } from './peer-lists.js';
import type { ComponentMemo, PeerPolling } from './peer-memo.js';

/**
 * To a mirror, whose the graphs of its upstream are, by the lists of addresses that it has told; a listing without graphs does
 * not say who says what.
 */
export function authoritiesOf(
  { isMirror, url }: PeerPolling,
  { introduced }: PeerLists,
  graphs?: ComponentMemo['graphs'],
): AuthorityOf | undefined {
  if (!isMirror) return undefined;
  if (graphs === 'unknown') return unknownOrder(url);
  return upstreamOrder(introduced, findPodAmong(introduced.storage.map(({ url }) => url)));
}

/**
 * The documents of which nothing else is said and whose source or its rank is another one now: the upstream has other
 * configured sources.
 * @param said those of which something is said, or that are gone
 */
export function otherAuthorities(
  { stored }: PeerPolling,
  said: readonly string[],
  authorityOf: AuthorityOf | undefined,
): DocumentReading[] {
  const handled = new Set(said);
  const others: DocumentReading[] = [];
  for (const [url, { components: _, ...record }] of (authorityOf && stored?.documents) ?? []) {
    const authority = handled.has(url) ? record.authority : authorityOf?.(url, record.of);
    if (!sameAuthority(authority, record.authority)) others.push({ url, record: { ...record, authority } });
  }
  return others;
}
