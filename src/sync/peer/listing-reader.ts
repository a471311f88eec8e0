import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following } from '../../core/source-record.js';
import { documentName } from '../../core/take.js';
import { afterFailure, type Failed, parsed } from '../failures.js';
import { invalidComponents } from '../invalid-components.js';
import { RoomLeft, roomFor } from '../room.js';
import { failedBatch, partOf } from '../source-reader.js';
import { listingTask, type Statements, tooManyDocuments } from './listing-task.js';
import { authoritiesOf, otherAuthorities } from './mirrored.js';
import { readPages } from './pages.js';
import type { PeerLists } from './peer-lists.js';
import { type ComponentMemo, memoAfter, type PeerMemo, type PeerPolling } from './peer-memo.js';
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
    failure: lists.failure,
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
  const failure = lists.failure ?? { message: lists.fault?.message ?? '' };
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
    return { url, record: afterFailure(stored?.documents.get(url), refused, clock.now()) };
  if (isUnwanted) return { url, record: {} };
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record = { invalid, omitted: omitted || undefined, firstOmitted };
  return { url, components: [...components.values()], record };
}

/** What one named graph of a peer says. */
interface ListedGraph {
  /** By uri. */
  readonly components: Map<string, Metadata>;
  /** How many more it describes, for which there was no room. */
  omitted: number;
  /** Bytes of the texts of the first of these. */
  firstOmitted?: number;
  readonly invalid: FaultyDescription[];
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** Is it of no use to `judge`, so that nothing of it is held? */
  readonly isUnwanted: boolean;
  /** Why nothing of it is taken, where something in it cannot be read. */
  refused?: string;
}

/** What a peer lists, by the names that its graphs have there, and what is to be remembered of that. */
type Listing =
  | { readonly kind: 'unchanged'; readonly memo: ComponentMemo }
  | {
      readonly kind: 'whole';
      readonly graphs: ReadonlyMap<string, ListedGraph>;
      readonly memo: ComponentMemo;
    }
  | Failed;

/** Components that nodes of ours put on one page. */
const PAGE = 1000;
/** A page that another one follows is short when it holds fewer descriptions: of nodes of ours, and of others. */
const SHORT = { all: PAGE / 10, unknown: 10 } as const;
/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;

/** It is a node of the other kind: with a feed, and so with graphs, or without. */
const OTHER_KIND: Failed = { kind: 'failed', message: 'it does not say who says what it lists' };

/**
 * Reads what a peer lists: page by page and with all graphs from nodes of ours, which say by them where a description comes from,
 * and else as any node lists it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 * @param anew is the whole listing wanted, even if it is as it was?
 */
async function fetchListing(polling: PeerPolling, anew: boolean): Promise<Listing> {
  const { graphs = 'all' } = polling.remembered.component ?? {};
  const listing = await readListed(graphs, anew, polling);
  return listing === OTHER_KIND ? readListed(graphs === 'all' ? 'unknown' : 'all', anew, polling) : listing;
}

/** An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
async function readListed(
  graphs: ComponentMemo['graphs'],
  anew: boolean,
  polling: PeerPolling,
): Promise<Listing> {
  const { peer, remembered, maxDocuments } = polling;
  const isAll = graphs === 'all';
  const listing = new ListedGraphs(polling);
  let isBegun = false;
  const resource = {
    url: addressWith(`${peer}/component`, isAll ? { graphs, limit: PAGE } : {}),
    accept: isAll ? ACCEPT.dataset : ACCEPT.components,
    // A fingerprint of one way of asking says nothing of the other.
    before: remembered.component?.graphs === graphs && !anew ? remembered.component.mark : {},
    short: SHORT[graphs],
  };
  const read = await readPages(polling, resource, async (page) => {
    isBegun = true;
    if (page.isOfFeed !== isAll) return OTHER_KIND;
    const descriptions = await listing.read(page);
    const isFailed = typeof descriptions !== 'number';
    if (isFailed || listing.graphs.size <= maxDocuments) return descriptions;
    return { kind: 'failed', message: tooManyDocuments(maxDocuments) };
  });
  if ('kind' in read) return !isBegun && isAll && isUnknownThere(read) ? OTHER_KIND : read;
  const memo = { mark: read.mark, graphs };
  return read.isUnchanged ? { kind: 'unchanged', memo } : { kind: 'whole', graphs: listing.graphs, memo };
}

/** The graphs of a listing, as far as its pages have come. */
class ListedGraphs {
  readonly graphs = new Map<string, ListedGraph>();
  readonly #polling: PeerPolling;
  /** However many pages there are: the rest is counted only. */
  readonly #room: RoomLeft;

  constructor(polling: PeerPolling) {
    this.#polling = polling;
    this.#room = new RoomLeft(polling.limits.most);
  }

  /** @returns how many descriptions the page holds */
  read(page: PeerBody): Promise<number | Failed> {
    return parsed(this.#read(page), this.#polling.signal);
  }

  async #read({ text, mediaType, url }: PeerBody): Promise<number> {
    const { peer, vocabulary, maxDocuments, parsing } = this.#polling;
    const { namespace } = vocabulary;
    const body = { text, mediaType, base: baseIn(text, peer, url), namespace, maxGraphs: maxDocuments };
    const { pool, ...options } = parsing;
    let descriptions = 0;
    for await (const some of pool.run(listingTask, body, { ...options, size: text.length })) {
      for (const one of some) {
        this.#take(one);
        descriptions += (one.described?.components.length ?? 0) + (one.described?.invalid.length ?? 0);
      }
    }
    return descriptions;
  }

  #take({ graph: name, described, refused }: Statements): void {
    const graph = this.graphs.get(name) ?? this.#graph(name);
    this.graphs.set(name, graph);
    if (graph.isUnwanted) return;
    if (refused !== undefined) graph.refused ??= refused;
    for (const component of described?.components ?? []) {
      if (this.#room.admits(roomFor(component))) graph.components.set(component.uri, component);
      else {
        graph.omitted += 1;
        graph.firstOmitted ??= sizeOf(component);
      }
    }
    for (const invalid of described?.invalid ?? []) {
      const isNamed =
        graph.invalid.length < NAMED_INVALID &&
        this.#room.admits({ components: 0, bytes: lengthOf(invalid) });
      if (isNamed) graph.invalid.push(invalid);
      else graph.unnamed += 1;
    }
    graph.unnamed += described?.unnamed ?? 0;
  }

  #graph(graph: string): ListedGraph {
    const isUnwanted = !this.#polling.limits.isWanted({ graph });
    return { isUnwanted, components: new Map(), omitted: 0, invalid: [], unnamed: 0 };
  }
}

function lengthOf({ subject, faults }: FaultyDescription): number {
  return faults.reduce((sum, { pointer, detail }) => sum + pointer.length + detail.length, subject.length);
}

/** The addresses of components begin with the node's own URL, which may be the one that answered. */
function baseIn(body: Uint8Array, peer: string, answered: string): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const base = `${peer}/c/`;
  const other = `${answered.replace(/\/component(\?.*)?$/s, '')}/c/`;
  return !text.includes(base) && text.includes(other) ? other : base;
}
