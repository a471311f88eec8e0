import { NO_NETWORK } from '../../core/network-lists.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following } from '../../core/source-record.js';
import { documentName } from '../../core/take.js';
import { failedBatch, partOf } from '../batches.js';
import { invalidComponents } from '../invalid-components.js';
import { fetchListing, type ListedGraph } from './listing.js';
import { authoritiesOf, otherAuthorities } from './mirrored.js';
import { pollFailure, refusedRecord } from './peer-failure.js';
import type { PeerLists } from './peer-lists.js';
import { memoAfter, type PeerMemo, type PeerPolling } from './peer-memo.js';

/**
 * Reads a peer by its listing: all that it says, when any of it has changed. Throws nothing but the reason when the poll is
 * stopped.
 * @param following what is remembered of how the peer is followed, once its listing could be read
 * @param anew is the whole listing wanted, even if it is as it was?
 */
export async function* readListing(
  polling: PeerPolling,
  lists: PeerLists,
  following: Following,
  anew: boolean,
): AsyncGenerator<Batch> {
  await lists.read();
  if (lists.fault) return yield failedPoll(polling, lists);
  const listing = await fetchListing(polling, anew);
  if (listing.kind === 'failed') lists.failures.set('/component', listing);
  if (lists.fault) return yield failedPoll(polling, lists);
  const { stored, url: peer, isMirror, readAs, remembered } = polling;
  const isRead = listing.kind !== 'failed';
  const component = isRead ? listing.memo : remembered.component;
  const authorityOf = authoritiesOf(polling, lists, component?.graphs);
  const said = new Set<string>();
  for (const [name, graph] of listing.kind === 'whole' ? listing.graphs : []) {
    const url = documentName(name, { peer, isMirror });
    said.add(url);
    const { record, ...reading } = readingOf(url, graph, polling);
    yield partOf({ ...reading, record: { ...record, authority: authorityOf?.(name) } });
  }
  const known = listing.kind === 'whole' ? [...(stored?.documents.keys() ?? [])] : [];
  const gone = known.filter((url) => !said.has(url));
  yield {
    put: otherAuthorities(polling, [...said, ...gone], authorityOf),
    gone,
    isLast: true,
    complete: isRead,
    isWhole: listing.kind === 'whole',
    failure: pollFailure(lists.failures),
    ...memoAfter(stored?.record, {
      memo: { readAs, ...lists.memos, component, feed: isRead ? undefined : remembered.feed },
      introduced: lists.introduced,
      following: isRead ? following : stored?.record.following,
    }),
  };
}

/**
 * The end of a poll that has failed as a whole. The node itself, by another name, says nothing and makes nobody known: what is
 * stored of it would stay although it is deleted (design, section 6).
 * @param memo what is to be remembered instead of what was
 */
export function failedPoll({ stored }: PeerPolling, lists: PeerLists, memo?: PeerMemo): Batch {
  const { record } = stored ?? {};
  const failure = pollFailure(lists.failures) ?? { message: lists.fault?.message ?? '' };
  const isSelf = [...lists.failures.values()].some(({ reason }) => reason === 'self');
  const { following } = record ?? {};
  if (isSelf) {
    const nobody = memoAfter(record, { memo: {}, introduced: NO_NETWORK, following });
    const gone = [...(stored?.documents.keys() ?? [])];
    return { put: [], gone, isLast: true, complete: true, failure, ...nobody };
  }
  const remembered = memo && memoAfter(record, { memo, introduced: lists.introduced, following });
  return failedBatch(failure, remembered);
}

/** A document as the listing has it. One of which something cannot be read stays as it is, and says why. */
function readingOf(url: string, graph: ListedGraph, { stored, clock }: PeerPolling): DocumentReading {
  const { components, refused, isUnwanted, omitted, firstOmitted } = graph;
  if (refused !== undefined)
    return { url, record: refusedRecord(stored?.documents.get(url), refused, clock.now()) };
  if (isUnwanted) return { url, record: {} };
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record = { invalid, omitted: omitted || undefined, firstOmitted };
  return { url, components: [...components.values()], record };
}
