import type { Following } from '../../core/source-record.js';
import { Failed, malformed } from '../failures.js';
import { type Listed, listingTask } from './listing-task.js';
import { PeerDocuments, type PeerReading } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import { PLAIN_LISTING } from './peer-memo.js';
import { type PeerAnswer, type PeerPage, type PeerPolling, readPages } from './peer-request.js';

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
  return {
    documents: listing?.documents,
    complete: listing !== undefined,
    memo: { marks: lists.marks, feed: listing ? undefined : remembered.feed },
    following: listing ? following : stored?.record.following,
  };
}

/**
 * Nodes of ours are read page by page and in all graphs, which tell where a description comes from; all others as any node lists
 * it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 */
const IN_GRAPHS = { path: '/component?graphs=all&limit=1000', accept: 'application/n-quads' };
const PLAIN = {
  path: PLAIN_LISTING,
  accept: 'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
};
type Way = typeof PLAIN;

const OTHER_KIND = malformed('it does not say who says what it lists');

type Listing = Pick<PeerReading, 'documents'>;

async function fetchListing(polling: PeerPolling, lists: PeerLists): Promise<Listing> {
  const [first, other] = lists.marks[PLAIN_LISTING] ? [PLAIN, IN_GRAPHS] : [IN_GRAPHS, PLAIN];
  try {
    return await readListed(first, polling, lists);
  } catch (error) {
    if (error !== OTHER_KIND) throw error;
    return readListed(other, polling, lists);
  }
}

/** An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
async function readListed(way: Way, polling: PeerPolling, lists: PeerLists): Promise<Listing> {
  const { [IN_GRAPHS.path]: _, [PLAIN.path]: __, ...marks } = lists.marks;
  const documents = new PeerDocuments(polling, 'listing');
  let last: PeerAnswer | undefined;
  try {
    for await (last of readPages(polling, { ...way, before: lists.marks[way.path] }))
      if (last.page) await readPage(last.page, way, polling, documents);
  } catch (error) {
    const isUnknown = error instanceof Failed && error.why === 'unknown';
    throw isUnknown && way === IN_GRAPHS ? OTHER_KIND : error;
  }
  lists.marks = { ...marks, [way.path]: last?.mark ?? {} };
  return last?.page ? { documents } : {};
}

async function readPage(
  { headers, text, mediaType }: PeerPage,
  way: Way,
  { peer, vocabulary, parse }: PeerPolling,
  documents: PeerDocuments,
): Promise<void> {
  if (headers.has('feed-cursor') !== (way === IN_GRAPHS)) throw OTHER_KIND;
  const body = { text, mediaType, base: `${peer}/c/`, namespace: vocabulary.namespace };
  const { statements } = await parse(listingTask, body, { statements: [] } as Listed);
  for (const some of statements) documents.add(some);
}
