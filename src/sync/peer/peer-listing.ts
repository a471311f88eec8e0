import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { InvalidDescription } from '../../component/reading/described.js';
import { explain } from '../../lib/faults.js';
import { RoomLeft } from '../room-left.js';
import { isParseFailure, logStumble } from '../wrong.js';
import type { Fingerprint } from './fingerprint.js';
import { listingTask, type Statements } from './listing-task.js';
import { inSmallerPages, notWhole, PageTrail, smallerSize } from './pages.js';
import { tooManyDocuments } from './peer-failure.js';
import type { ComponentMemo, PeerPolling } from './peer-memo.js';
import {
  addressWith,
  COMPONENTS,
  DATASET,
  N_QUADS,
  type PeerBody,
  type PeerFailure,
  TOO_SLOW,
} from './peer-request.js';

/** What one named graph of a peer says. */
export interface ListedGraph {
  /** By uri. */
  readonly components: Map<string, Metadata>;
  /** How many more it describes, for which there was no room. */
  omitted: number;
  /** Bytes of the texts of the first of these. */
  firstOmitted?: number;
  readonly invalid: InvalidDescription[];
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** Is it of no use to `judge`, so that nothing of it is held? */
  readonly isUnwanted: boolean;
  /** Why nothing of it is taken, where something in it cannot be read. */
  refused?: string;
}

/** What a peer lists, read in one piece or page by page: by the names that its graphs have there. */
export type Listing =
  | { readonly kind: 'unchanged'; readonly fingerprint: Fingerprint }
  | {
      readonly kind: 'whole';
      readonly dataset: ReadonlyMap<string, ListedGraph>;
      /** Of the first page; lower case. */
      readonly mediaType: string;
      readonly fingerprint: Fingerprint;
    }
  | PeerFailure;

/** What was listed, and what is to be remembered of that. */
export interface ListingReading {
  readonly listing: Listing;
  readonly memo: ComponentMemo | undefined;
}

/** Components on a page: sizes to try, in this order, when what came before was more than `sync.maxBytes`. */
const PAGE_SIZES = [1000, 50];
/** A page that another one follows is short when it holds less than this part of what was asked for, or could have been. */
const SHORT = { part: 1 / 10, of: 100 } as const;
/** Answers to parameters of a URL that mean nothing to a node. */
const KNOWS_NO_PAGES: readonly (number | undefined)[] = [400, 404, 422];
/** Answers of nodes that do not know the parameter of all graphs, or not the media type. */
const KNOWS_NO_GRAPHS: readonly (number | undefined)[] = [400, 404, 406, 415, 422, 500, 501];
/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;
/** Characters of why nothing of a graph is taken. */
const LONGEST_MESSAGE = 500;

/**
 * Reads what a peer lists: with all graphs from nodes of ours, which say by them where a description comes from, and else
 * as any node lists it.
 *
 * Some nodes take each parameter of the address for a constraint and answer with an empty list: such an answer counts only
 * from a node that is known to have graphs. A node that did not know them is asked for them again when it begins to answer
 * with N-Quads: it may have been brought up to date, and without graphs all would seem to be its own words.
 * @param anew is the whole listing wanted, even if it is as it was?
 */
export async function fetchListing(polling: PeerPolling, anew: boolean): Promise<ListingReading> {
  const before = polling.remembered.component;
  const ask = (graphs: 'all' | 'unknown') => readPages(graphs, anew, polling);
  const plain = before?.graphs === 'unknown' ? await ask('unknown') : undefined;
  const isUpdated = plain?.listing.kind === 'whole' && plain.listing.mediaType === N_QUADS;
  if (plain && !isUpdated) return plain;
  const all = await ask('all');
  return isAnswered(all.listing, before) ? all : (plain ?? ask('unknown'));
}

function isAnswered(listing: Listing, before: ComponentMemo | undefined): boolean {
  if (listing.kind === 'whole') return listing.dataset.size > 0 || before?.graphs === 'all';
  if (listing.kind === 'unchanged') return true;
  return listing.reason !== 'other-type' && !KNOWS_NO_GRAPHS.includes(listing.status);
}

/** An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
async function readPages(
  graphs: 'all' | 'unknown',
  anew: boolean,
  polling: PeerPolling,
): Promise<ListingReading> {
  const { request, peer, signal, remembered } = polling;
  const { component } = remembered;
  const wording = graphs === 'all' ? DATASET : COMPONENTS;
  // A fingerprint of one way of asking says nothing of the other.
  const mark = component?.graphs === graphs && !anew ? component.mark : {};
  const pages = new Pages(polling);
  let url = addressWith(`${peer}/component`, graphs === 'all' ? { graphs } : {});
  let size = component?.pageSize;
  for (;;) {
    const known = size;
    const { reading, pageSize } = await inSmallerPages(PAGE_SIZES, size, (limit) =>
      request(addressWith(url, { limit }), wording, !pages.first && limit === known ? mark : {}, signal),
    );
    size = pageSize;
    if (reading.kind !== 'whole' && (reading.kind === 'failed' || pages.first))
      return failed(notWhole(reading), size, component);
    if (reading.kind === 'unchanged')
      return { listing: reading, memo: { mark: reading.fingerprint, graphs, pageSize } };
    const next = await pages.add(reading, url, size);
    if (next?.kind === 'failed') return failed(next, size, component);
    if (!next) break;
    url = next.url;
  }
  const listing = pages.whole;
  return { listing, memo: { mark: listing.fingerprint, graphs, pageSize: size } };
}

/** What is remembered of a listing stays when it could not be read, but for the size of its pages. */
function failed(
  listing: PeerFailure,
  size: number | undefined,
  before: ComponentMemo | undefined,
): ListingReading {
  // Too slow for one request may be quick enough for many, and a node that does not know pages is asked without them.
  const smaller = listing.reason === 'timeout' ? smallerSize(PAGE_SIZES, size) : undefined;
  const pageSize = KNOWS_NO_PAGES.includes(listing.status) ? undefined : (smaller ?? size);
  if (!before && pageSize === undefined) return { listing, memo: undefined };
  return { listing, memo: { mark: {}, ...before, pageSize } };
}

/** The pages of a listing, as far as they have come. */
class Pages {
  readonly #polling: PeerPolling;
  readonly #dataset = new Map<string, ListedGraph>();
  /** However many pages there are: the rest is counted only. It comes in the order of uris, so it is always the same. */
  readonly #room: RoomLeft;
  readonly #trail = new PageTrail();
  first: PeerBody | undefined;
  #isOne = true;

  constructor(polling: PeerPolling) {
    this.#polling = polling;
    this.#room = new RoomLeft(polling.limits.most);
  }

  /** @returns where the next page is, or why the listing cannot be read; undefined at its end */
  async add(
    page: PeerBody,
    asked: string,
    size: number = SHORT.of,
  ): Promise<ReturnType<PageTrail['follow']>> {
    const { maxDocuments } = this.#polling;
    this.first ??= page;
    // Without a tag, the first page's hash says nothing of the others; and pages of several states are read again next time.
    const { etag } = this.first.fingerprint;
    this.#isOne &&= page === this.first || (etag !== undefined && page.fingerprint.etag === etag);
    const read = await this.#read(page);
    if (typeof read !== 'number') return read;
    const next = this.#trail.follow(page, asked, read < size * SHORT.part);
    return this.#dataset.size > maxDocuments
      ? { kind: 'failed', message: tooManyDocuments(maxDocuments) }
      : next;
  }

  get whole(): Extract<Listing, { kind: 'whole' }> {
    const { mediaType = '', fingerprint = {} } = this.first ?? {};
    return {
      kind: 'whole',
      dataset: this.#dataset,
      mediaType,
      fingerprint: this.#isOne ? fingerprint : {},
    };
  }

  /** @returns how many descriptions the page holds */
  async #read({ text, mediaType, url }: PeerBody): Promise<number | PeerFailure> {
    const { peer, vocabulary, maxDocuments, parsing, log, signal } = this.#polling;
    const { namespace } = vocabulary;
    const body = { text, mediaType, base: baseIn(text, peer, url), namespace, maxGraphs: maxDocuments };
    const { pool, ...options } = parsing;
    let descriptions = 0;
    try {
      for await (const some of pool.run(listingTask, body, { ...options, size: text.length })) {
        for (const one of some) {
          this.#take(one);
          logStumble(log, { wrong: one.stumble }, { peer, document: one.graph });
          descriptions += (one.described?.components.length ?? 0) + (one.described?.invalid.length ?? 0);
        }
      }
      return descriptions;
    } catch (error) {
      if (!isParseFailure(error)) throw error;
      return { kind: 'failed', message: signal.aborted ? TOO_SLOW : explain(error) };
    }
  }

  #take({ graph: name, described, refused }: Statements): void {
    const graph = this.#dataset.get(name) ?? this.#graph(name);
    this.#dataset.set(name, graph);
    if (graph.isUnwanted) return;
    if (refused !== undefined) graph.refused ??= refused.slice(0, LONGEST_MESSAGE);
    for (const component of described?.components ?? []) {
      if (this.#room.admits(component)) graph.components.set(component.uri, component);
      else {
        graph.omitted += 1;
        graph.firstOmitted ??= sizeOf(component);
      }
    }
    for (const invalid of described?.invalid ?? []) {
      const isNamed = graph.invalid.length < NAMED_INVALID && this.#room.admitsText(lengthOf(invalid));
      if (isNamed) graph.invalid.push(invalid);
      else graph.unnamed += 1;
    }
  }

  #graph(graph: string): ListedGraph {
    const isUnwanted = !this.#polling.limits.isWanted({ graph });
    return { isUnwanted, components: new Map(), omitted: 0, invalid: [], unnamed: 0 };
  }
}

function lengthOf({ subject, faults }: InvalidDescription): number {
  return faults.reduce((sum, { pointer, detail }) => sum + pointer.length + detail.length, subject.length);
}

/** The addresses of components begin with the node's own URL, which may be the one that answered. */
function baseIn(body: Uint8Array, peer: string, answered: string): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const base = `${peer}/c/`;
  const other = `${answered.replace(/\/component(\?.*)?$/s, '')}/c/`;
  return !text.includes(base) && text.includes(other) ? other : base;
}
