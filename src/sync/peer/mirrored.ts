import type { DocumentChange } from '../../core/document-change.js';
import { findPodAmong } from '../../core/find-pod.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { sameAuthority } from '../../core/precedence.js';
import type { StoredSource } from '../../core/source-record.js';
import { type AuthorityOf, upstreamOrder } from '../../core/upstream-order.js';
import type { Breather } from '../../lib/pace.js';

/** Whose the graphs of an upstream are, by the lists of addresses that it has told. */
export function mirroredOrder(lists: NetworkLists): AuthorityOf {
  return upstreamOrder(lists, findPodAmong(lists.storage.map(({ url }) => url)));
}

/**
 * With changes of the documents that a mirror leaves as they are, where their source or its rank is another one now: the
 * upstream has other configured sources, or an earlier release has stored them.
 */
export async function withAuthorities(
  changes: readonly DocumentChange[],
  stored: StoredSource['documents'],
  authorityOf: AuthorityOf | undefined,
  breathe: Breather,
): Promise<readonly DocumentChange[]> {
  if (!authorityOf) return changes;
  const changed = new Set(changes.map(({ url }) => url));
  const others: DocumentChange[] = [];
  for (const [url, { components: _components, ...record }] of stored) {
    await breathe();
    if (changed.has(url)) continue;
    const authority = authorityOf(url, record.of);
    if (!sameAuthority(authority, record.authority)) others.push({ url, record: { ...record, authority } });
  }
  return [...changes, ...others];
}
