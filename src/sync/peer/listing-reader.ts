import type { Following } from '../../core/source-record.js';
import { Unreadable, unreadable } from '../failures.js';
import { type Listed, listingTask } from './listing-task.js';
import { readPages } from './pages.js';
import type { PeerReading } from './peer-batches.js';
import { PeerDocuments } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import { type PeerPolling, PLAIN_LISTING } from './peer-memo.js';
import { ACCEPT, isUnknownThere } from './peer-request.js';

/**
 * Reads a peer by its listing: all that it says, when any of it has changed. Rejects only when the poll is stopped.
 * @param following what is remembered of how the peer is followed, once its listing could be read
 */
export async function readListing(
  polling: PeerPolling,
  lists: PeerLists,
  following: Following,
): Promise<PeerReading> {
  const { stored, remembered } = polling;
  await lists.read();
  const listing = await lists.attempt(PLAIN_LISTING, () => fetchListing(polling, lists));
  if (lists.isPointless) return { complete: false };
  return {
    documents: listing?.documents,
    complete: listing !== undefined,
    isWhole: listing?.documents !== undefined,
    memo: { marks: lists.marks, feed: listing ? undefined : remembered.feed },
    following: listing ? following : stored?.record.following,
  };
}

/** What a peer lists; absent where nothing has changed. */
interface Listing {
  readonly documents?: PeerDocuments;
}

/**
 * Nodes of ours are read page by page and in all graphs, which tell where a description comes from; all others as any node lists
 * it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 */
const IN_GRAPHS: Way = { path: '/component?graphs=all&limit=1000', accept: ACCEPT.dataset, isOurs: true };
const PLAIN: Way = { path: PLAIN_LISTING, accept: ACCEPT.components, isOurs: false };

interface Way {
  readonly path: string;
  readonly accept: string;
  readonly isOurs: boolean;
}

async function fetchListing(polling: PeerPolling, lists: PeerLists): Promise<Listing> {
  const ways = lists.marks[PLAIN_LISTING] ? [PLAIN, IN_GRAPHS] : [IN_GRAPHS, PLAIN];
  for (const way of ways) {
    const listing = await readListed(way, polling, lists);
    if (listing) return listing;
  }
  throw unreadable('it does not say who says what it lists');
}

/**
 * An incomplete listing is a failure: nothing may seem to be removed because it did not come.
 * @returns nothing for a node of the other kind
 */
async function readListed(
  { path, accept, isOurs }: Way,
  polling: PeerPolling,
  lists: PeerLists,
): Promise<Listing | undefined> {
  const { [IN_GRAPHS.path]: inGraphs, [PLAIN.path]: plain, ...marks } = lists.marks;
  const { peer, vocabulary, parse } = polling;
  const documents = new PeerDocuments(polling, 'listing');
  let isOfOurs: boolean | undefined;
  try {
    const resource = { path, accept, before: isOurs ? inGraphs : plain };
    const { mark, isUnchanged } = await readPages(polling, resource, async ({ headers, text, mediaType }) => {
      isOfOurs = headers.has('feed-cursor');
      if (isOfOurs !== isOurs) return 'enough';
      const body = { text, mediaType, base: `${peer}/c/`, namespace: vocabulary.namespace };
      const nothing: Listed = { statements: [] };
      const { statements } = await parse(listingTask, body, nothing);
      for (const some of statements) documents.add(some);
      return undefined;
    });
    if (isOfOurs === !isOurs) return undefined;
    lists.marks = { ...marks, [path]: mark };
    return isUnchanged ? {} : { documents };
  } catch (error) {
    const isUnknown = error instanceof Unreadable && isOfOurs === undefined && isUnknownThere(error.failure);
    if (isOurs && isUnknown) return undefined;
    throw error;
  }
}
