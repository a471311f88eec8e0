import type { Batch } from '../../core/reading.js';
import type { Following } from '../../core/source-record.js';
import { parsed, Unreadable } from '../failures.js';
import { listingTask } from './listing-task.js';
import { readPages } from './pages.js';
import { batchesOf, failedPoll } from './peer-batches.js';
import { PeerDocuments } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import type { ComponentMemo, PeerPolling } from './peer-memo.js';
import { ACCEPT, addressWith, isUnknownThere, type PeerBody } from './peer-request.js';

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
  const { stored, remembered } = polling;
  await lists.read();
  const listing = lists.fault
    ? undefined
    : await lists.attempt('/component', () => fetchListing(polling, anew));
  if (lists.fault) return yield failedPoll(polling, lists);
  yield* batchesOf(polling, lists, listing?.documents, {
    complete: listing !== undefined,
    isWhole: listing?.documents !== undefined,
    // Of the lists, what was read now is remembered.
    memo: listing ? { component: listing.memo } : { component: remembered.component, feed: remembered.feed },
    following: listing ? following : stored?.record.following,
  });
}

/** What a peer lists, and what is to be remembered of that. */
interface Listing {
  readonly memo: ComponentMemo;
  /** Absent where nothing has changed. */
  readonly documents?: PeerDocuments | undefined;
}

/** It is a node of the other kind: with a feed, and so with graphs, or without. */
class OtherKind extends Unreadable {
  constructor() {
    super({ kind: 'failed', message: 'it does not say who says what it lists' });
  }
}

/**
 * Reads what a peer lists: page by page and with all graphs from nodes of ours, which say by them where a description comes from,
 * and else as any node lists it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 */
async function fetchListing(polling: PeerPolling, anew: boolean): Promise<Listing> {
  const { graphs = 'all' } = polling.remembered.component ?? {};
  try {
    return await readListed(graphs, anew, polling);
  } catch (error) {
    if (!(error instanceof OtherKind)) throw error;
    return readListed(graphs === 'all' ? 'unknown' : 'all', anew, polling);
  }
}

/** An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
async function readListed(
  graphs: ComponentMemo['graphs'],
  anew: boolean,
  polling: PeerPolling,
): Promise<Listing> {
  const { component } = polling.remembered;
  const isAll = graphs === 'all';
  const documents = new PeerDocuments(polling, 'listing');
  let isBegun = false;
  const resource = {
    url: addressWith(`${polling.peer}/component`, isAll ? { graphs, limit: 1000 } : {}),
    accept: isAll ? ACCEPT.dataset : ACCEPT.components,
    // A fingerprint of one way of asking says nothing of the other.
    before: component?.graphs === graphs && !anew ? component.mark : {},
  };
  try {
    const { mark, isUnchanged } = await readPages(polling, resource, (page) => {
      isBegun = true;
      if (page.isOfFeed !== isAll) throw new OtherKind();
      return parsed(readPage(page, polling, documents), polling.signal);
    });
    return { memo: { mark, graphs }, documents: isUnchanged ? undefined : documents };
  } catch (error) {
    const isOther = error instanceof Unreadable && !isBegun && isAll && isUnknownThere(error.failure);
    throw isOther ? new OtherKind() : error;
  }
}

/** @returns how many descriptions the page holds */
async function readPage(
  { text, mediaType }: PeerBody,
  { peer, vocabulary, maxDocuments, parsing: { pool, ...options } }: PeerPolling,
  documents: PeerDocuments,
): Promise<number> {
  const { namespace } = vocabulary;
  const body = { text, mediaType, base: `${peer}/c/`, namespace, maxGraphs: maxDocuments };
  let descriptions = 0;
  for await (const some of pool.run(listingTask, body, { ...options, size: text.length })) {
    for (const one of some) {
      documents.add(one);
      descriptions += (one.components?.length ?? 0) + (one.invalid?.length ?? 0);
    }
  }
  return descriptions;
}
