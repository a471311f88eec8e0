import { findPodAmong } from '../../core/find-pod.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import { sameAuthority } from '../../core/precedence.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following } from '../../core/source-record.js';
import { type AuthorityOf, unknownOrder, upstreamOrder } from '../../core/upstream-order.js';
import { failedBatch, partOf } from '../source-reader.js';
import type { PeerDocuments } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import type { PeerMemo, PeerPolling } from './peer-memo.js';

/** How a reading of a peer ends. */
interface ReadingEnd extends Pick<Batch, 'complete' | 'isWhole' | 'digests'> {
  readonly memo: Pick<PeerMemo, 'component' | 'feed'>;
  readonly following: Following | undefined;
}

/** What was read of a peer: document by document, and last whatever removes. @param documents absent where nothing was read */
export function* batchesOf(
  polling: PeerPolling,
  lists: PeerLists,
  documents: PeerDocuments | undefined,
  { memo, following, ...end }: ReadingEnd,
): Generator<Batch> {
  const { readAs } = polling;
  const authorityOf = authoritiesOf(polling, lists, memo);
  const gone = documents?.gone ?? [];
  const handled = new Set(gone);
  const removing: DocumentReading[] = [];
  for (const reading of documents?.readings(authorityOf) ?? []) {
    handled.add(reading.url);
    if (reading.amend?.remove?.length) removing.push(reading);
    else yield partOf(reading);
  }
  yield {
    ...end,
    put: [...removing, ...otherAuthorities(polling, handled, authorityOf)],
    gone,
    isLast: true,
    failure: lists.failure,
    memo: { memo: { readAs, ...lists.memos, ...memo }, introduced: lists.introduced, following },
  };
}

/**
 * The end of a poll that has failed as a whole. The node itself, by another name, says nothing and makes nobody known: what is
 * stored of it would stay although it is deleted (design, section 6).
 * @param memo what is to be remembered instead of what was
 */
export function failedPoll({ stored }: PeerPolling, lists: PeerLists, memo?: PeerMemo): Batch {
  const { following } = stored?.record ?? {};
  const failure = lists.failure ?? { message: lists.fault?.message ?? '' };
  if ([...lists.failures.values()].some(({ reason }) => reason === 'self')) {
    const nobody = { memo: {}, introduced: NO_NETWORK, following };
    const gone = [...(stored?.documents.keys() ?? [])];
    return { put: [], gone, isLast: true, complete: true, failure, memo: nobody };
  }
  return failedBatch(
    failure,
    memo && { memo: { memo: { ...memo }, introduced: lists.introduced, following } },
  );
}

/**
 * To a mirror, whose the graphs of its upstream are, by the lists of addresses that it has told; a listing without graphs does
 * not say who says what.
 */
function authoritiesOf(
  { isMirror, url }: PeerPolling,
  { introduced }: PeerLists,
  { component }: PeerMemo,
): AuthorityOf | undefined {
  if (!isMirror) return undefined;
  if (component?.graphs === 'unknown') return unknownOrder(url);
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
