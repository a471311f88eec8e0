import { COMPONENTS, DATASET } from './dialect.js';
import { fetchListing, type Listing } from './peer-listing.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';

export interface ComponentsReading {
  readonly listing: Listing;
  /** What is to be remembered of it. */
  readonly memo: PeerMemo['component'];
}

/** Answers of nodes that do not know the parameter, or not the media type. */
const NOT_UNDERSTOOD = [400, 404, 406, 415, 422, 500, 501];

/**
 * Reads what a peer lists: with all graphs from nodes of ours, which say by them where a description comes from, and else
 * as any node lists it.
 *
 * Some nodes take each parameter of the address for a constraint and answer with an empty list: such an answer counts only
 * from a node that is known to have graphs. A node that did not know them is asked for them again when it begins to answer
 * with N-Quads: it may have been brought up to date, and without graphs all would seem to be its own words.
 * @param anew is the whole listing wanted, even if it is as it was?
 */
export async function fetchComponents(polling: PeerPolling, anew: boolean): Promise<ComponentsReading> {
  const memo = polling.remembered.component;
  const plain = memo?.graphs === 'unknown' ? await fetchAs('unknown', polling, anew) : undefined;
  if (plain && !(plain.kind === 'whole' && plain.mediaType === DATASET.only)) {
    return remembering(plain, 'unknown', memo);
  }
  const all = await fetchAs('all', polling, anew);
  if (isAnswered(all, memo)) return remembering(all, 'all', memo);
  return remembering(plain ?? (await fetchAs('unknown', polling, anew)), 'unknown', memo);
}

type Memo = PeerMemo['component'];
type Graphs = NonNullable<NonNullable<Memo>['graphs']>;

function fetchAs(graphs: Graphs, polling: PeerPolling, anew: boolean): Promise<Listing> {
  const memo = polling.remembered.component;
  const [preference, parameters] = graphs === 'all' ? [DATASET, { graphs }] : [COMPONENTS, {}];
  // A fingerprint of one way of asking says nothing of the other.
  const fingerprint = memo?.graphs === graphs && !anew ? memo.mark : {};
  const wanted = { preference, parameters, before: fingerprint, pageSize: memo?.pageSize };
  return fetchListing(wanted, polling);
}

function isAnswered(listing: Listing, memo: Memo): boolean {
  if (listing.kind === 'whole') return listing.dataset.size > 0 || memo?.graphs === 'all';
  if (listing.kind === 'unchanged') return true;
  return listing.reason !== 'other-type' && !NOT_UNDERSTOOD.includes(listing.status ?? 0);
}

function remembering(listing: Listing, graphs: Graphs, memo: Memo): ComponentsReading {
  if (listing.kind !== 'failed') {
    const pageSize = listing.kind === 'whole' ? listing.pageSize : memo?.pageSize;
    return { listing, memo: { mark: listing.fingerprint, graphs, pageSize } };
  }
  const { pageSize } = listing;
  if (!memo && pageSize === undefined) return { listing, memo: undefined };
  return { listing, memo: { mark: {}, ...memo, pageSize } };
}
