import type { DocumentRecord } from '../../core/document-record.js';
import type { Following } from '../../core/following.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import { documentName } from '../../core/take.js';
import { Batching, failedBatch } from '../batching.js';
import { invalidComponents } from '../invalid-components.js';
import { authoritiesOf, otherAuthorities } from './mirrored.js';
import { fetchComponents } from './peer-components.js';
import type { PeerGraph } from './peer-dataset.js';
import { pollFailure, refusedRecord } from './peer-failure.js';
import type { PeerLists } from './peer-lists.js';
import { memoAfter, type PeerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';

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
  const { listing, memo: component } = await fetchComponents(polling, anew);
  if (listing.kind === 'failed') lists.failures.set('/component', listing);
  if (lists.fault) return yield failedPoll(polling, lists);
  const authorityOf = authoritiesOf(polling, lists, component?.graphs);
  const gathered = new Batching();
  const said = new Set<string>();
  for (const [name, graph] of listing.kind === 'whole' ? listing.dataset : []) {
    const url = documentName(name, { ...polling, peer: polling.url });
    said.add(url);
    yield* gathered.add(readingOf(url, graph, authorityOf?.(name), polling));
  }
  const stored = [...(polling.stored?.documents.keys() ?? [])];
  const isRead = listing.kind !== 'failed';
  const { record } = polling.stored ?? {};
  const feed = isRead ? undefined : polling.remembered.feed;
  const gone = listing.kind === 'whole' ? stored.filter((url) => !said.has(url)) : [];
  yield {
    put: [...gathered.take(), ...otherAuthorities(polling, [...said, ...gone], authorityOf)],
    gone,
    isLast: true,
    complete: isRead,
    failure: pollFailure(lists.failures),
    ...memoAfter(record, {
      memo: { readAs: polling.readAs, ...lists.memos, component, feed },
      introduced: lists.introduced,
      following: isRead ? following : record?.following,
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
function readingOf(
  url: string,
  graph: PeerGraph,
  authority: DocumentRecord['authority'],
  { stored, clock }: PeerPolling,
): DocumentReading {
  const { components, refused, isUnwanted, omitted, firstOmitted } = graph;
  if (refused !== undefined)
    return { url, record: { ...refusedRecord(stored?.documents.get(url), refused, clock.now()), authority } };
  if (isUnwanted) return { url, record: { authority } };
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record: DocumentRecord = {
    invalid,
    authority,
    omitted: omitted || undefined,
    firstOmitted,
  };
  return { url, components: [...components.values()], record };
}
