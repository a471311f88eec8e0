import { findPodAmong } from '../../core/find-pod.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import { sameAuthority } from '../../core/precedence.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following } from '../../core/source-record.js';
import { type AuthorityOf, unknownOrder, upstreamOrder } from '../../core/upstream-order.js';
import type { PeerDocuments } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import { type PeerMemo, type PeerPolling, PLAIN_LISTING } from './peer-memo.js';

/** What one poll has read of a peer, by its feed or by its listing, beside its lists of addresses. */
export interface PeerReading extends Pick<Batch, 'complete' | 'digests' | 'disagrees'> {
  /** Absent where nothing is new. */
  readonly documents?: PeerDocuments | undefined;
  /** What is to be remembered; absent where all stays as it was. */
  readonly memo?: Pick<PeerMemo, 'marks' | 'feed'>;
  readonly following?: Following | undefined;
}

const NOTHING_READ: PeerReading = { complete: false };

/** All that was read of a peer in one poll. */
export function batchOf(polling: PeerPolling, lists: PeerLists, read: PeerReading): Batch {
  const { failure, introduced } = lists;
  if (lists.isItself) return { ...ofItself(polling), failure };
  const { documents, memo, following, ...end } = lists.isPointless ? NOTHING_READ : read;
  const authorityOf = memo && authoritiesOf(polling, introduced, memo);
  const put = [...(documents?.readings(authorityOf) ?? [])];
  const gone = documents?.gone ?? [];
  const handled = new Set([...gone, ...put.map(({ url }) => url)]);
  return {
    ...end,
    put: [...put, ...otherAuthorities(polling, handled, authorityOf)],
    gone,
    isLast: true,
    isWhole: documents && documents.how !== 'changes',
    failure,
    memo: memo && { memo: { readAs: polling.readAs, ...memo }, introduced, following },
  };
}

/**
 * The node itself, by another name, says nothing and makes nobody known: what is stored of it would stay although it is deleted
 * (design, section 6).
 */
function ofItself({ stored }: PeerPolling): Batch {
  const memo = { introduced: NO_NETWORK, following: stored?.record.following };
  return { put: [], gone: [...(stored?.documents.keys() ?? [])], isLast: true, complete: true, memo };
}

/**
 * To a mirror, whose the graphs of its upstream are, by the lists of addresses that it has told; a listing without graphs does
 * not say who says what.
 */
function authoritiesOf(
  { isMirror, url }: PeerPolling,
  introduced: PeerLists['introduced'],
  { marks = {} }: PeerMemo,
): AuthorityOf | undefined {
  if (!isMirror) return undefined;
  if (marks[PLAIN_LISTING]) return unknownOrder(url);
  return upstreamOrder(introduced, findPodAmong(introduced.storage.map(({ url }) => url)));
}

/**
 * The documents of which nothing else is said and whose source or its rank is another one now: the upstream has other
 * configured sources.
 */
function otherAuthorities(
  { stored }: PeerPolling,
  handled: ReadonlySet<string>,
  authorityOf: AuthorityOf | undefined,
): DocumentReading[] {
  const others: DocumentReading[] = [];
  for (const [url, { components: _, ...record }] of (authorityOf && stored?.documents) ?? []) {
    const authority = handled.has(url) ? record.authority : authorityOf?.(url, record.of);
    if (!sameAuthority(authority, record.authority)) others.push({ url, record: { ...record, authority } });
  }
  return others;
}
