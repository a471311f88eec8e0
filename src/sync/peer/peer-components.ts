import { COMPONENTS, DATASET, type Preference } from './dialect.js';
import type { Fingerprint } from './fingerprint.js';
import { fetchListing, type Listing, type ListingOptions } from './peer-listing.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerReading } from './peer-request.js';

export interface ComponentsQuestion
  extends Pick<ListingOptions, 'peer' | 'vocabulary' | 'parsing' | 'maxDocuments' | 'limit'> {
  /** What is remembered of the listing that was read last. */
  readonly known: PeerMemo['component'];
  /** Is the whole listing wanted, even if it is as it was? */
  readonly anew: boolean;
  readonly ask: (url: string, preference: Preference, known: Fingerprint) => Promise<PeerReading>;
}

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
 */
export async function fetchComponents(question: ComponentsQuestion): Promise<ComponentsReading> {
  const hadNone = question.known?.graphs === 'unknown';
  const plain = hadNone ? await fetchAs('unknown', question) : undefined;
  if (plain && !(plain.kind === 'whole' && plain.mediaType === DATASET.only)) {
    return remembering(plain, 'unknown', question);
  }
  const all = await fetchAs('all', question);
  if (isAnswered(all, question)) return remembering(all, 'all', question);
  return remembering(plain ?? (await fetchAs('unknown', question)), 'unknown', question);
}

type Graphs = NonNullable<NonNullable<PeerMemo['component']>['graphs']>;

function fetchAs(graphs: Graphs, { known, anew, ask, ...options }: ComponentsQuestion): Promise<Listing> {
  const [preference, parameters] = graphs === 'all' ? [DATASET, { graphs }] : [COMPONENTS, {}];
  // A fingerprint of one way of asking says nothing of the other. Memos of former releases do not name the way: all
  // listings were read without graphs then.
  const isSame = (known?.graphs ?? 'unknown') === graphs;
  return fetchListing({
    ...options,
    parameters,
    known: isSame && !anew ? (known?.mark ?? {}) : {},
    pageSize: known?.pageSize,
    ask: (url, mark) => ask(url, preference, mark),
  });
}

function isAnswered(listing: Listing, { known }: ComponentsQuestion): boolean {
  if (listing.kind === 'whole') return listing.dataset.size > 0 || known?.graphs === 'all';
  if (listing.kind === 'unchanged') return true;
  return listing.reason !== 'other-type' && !NOT_UNDERSTOOD.includes(listing.status ?? 0);
}

function remembering(listing: Listing, graphs: Graphs, { known }: ComponentsQuestion): ComponentsReading {
  if (listing.kind !== 'failed') {
    const pageSize = listing.kind === 'whole' ? listing.pageSize : known?.pageSize;
    return { listing, memo: { mark: listing.mark, graphs, pageSize } };
  }
  const { pageSize } = listing;
  if (!known && pageSize === undefined) return { listing, memo: undefined };
  const { pageSize: _former, ...kept } = known ?? { mark: {} };
  return { listing, memo: { ...kept, pageSize } };
}
