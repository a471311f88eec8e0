import type { Following } from '../../core/source-record.js';
import { Failed, malformed } from '../failures.js';
import { listingTask } from './listing-task.js';
import { PeerDocuments, type PeerReading } from './peer-documents.js';
import type { PeerLists } from './peer-lists.js';
import { type PeerMemo, PLAIN_LISTING } from './peer-memo.js';
import { type PeerPolling, readPages } from './peer-request.js';

/**
 * Nodes of ours are read page by page and in all graphs, which tell where a description comes from; all others as any node lists
 * it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 */
const IN_GRAPHS = { path: '/component?graphs=all&limit=1000', accept: 'application/n-quads' };
const PLAIN = {
  path: PLAIN_LISTING,
  accept: 'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
};

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
  const known = remembered.listing;
  const ways = known?.path === PLAIN.path ? [PLAIN, IN_GRAPHS] : [IN_GRAPHS, PLAIN];
  const read = await lists.attempt(PLAIN.path, async () => {
    for (const way of ways) {
      const before = known?.path === way.path ? known.mark : undefined;
      const one = await readListed(way, before, polling);
      if (one) return one;
    }
    throw malformed('it does not say who says what it lists');
  });
  const { documents, listing = known } = read ?? {};
  return {
    documents: documents ?? new PeerDocuments(polling, 'changes'),
    complete: read !== undefined,
    memo: { marks: lists.marks, listing, feed: read ? undefined : remembered.feed },
    following: read ? following : stored?.record.following,
  };
}

/**
 * Undefined when it is not a node that is read in this way. An incomplete listing is a failure: nothing may
 * seem to be removed because it did not come.
 */
async function readListed(
  { path, accept }: typeof PLAIN,
  before: NonNullable<PeerMemo['listing']>['mark'] | undefined,
  polling: PeerPolling,
): Promise<(Pick<PeerReading, 'documents'> & Pick<PeerMemo, 'listing'>) | undefined> {
  const { peer, vocabulary, parse } = polling;
  const isInGraphs = path === IN_GRAPHS.path;
  const documents = new PeerDocuments(polling, 'listing');
  let isNews = false;
  let mark = before ?? {};
  try {
    for await (const answer of readPages(polling, { path, accept, before })) {
      mark = answer.mark;
      if (!answer.page) continue;
      const { headers, text, mediaType } = answer.page;
      if (headers.has('feed-cursor') !== isInGraphs) return undefined;
      const body = { text, mediaType, base: `${peer}/c/`, namespace: vocabulary.namespace };
      const { statements } = await parse(listingTask, body);
      for (const some of statements) documents.add(some);
      isNews = true;
    }
  } catch (error) {
    if (isInGraphs && error instanceof Failed && error.why === 'unknown') return undefined;
    throw error;
  }
  return { documents: isNews ? documents : undefined, listing: { path, mark } };
}
