import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { explain } from '../../lib/faults.js';
import { RoomLeft } from '../room-left.js';
import { isParseFailure } from '../wrong.js';
import type { Fingerprint } from './fingerprint.js';
import { listingTask, type Statements } from './listing-task.js';
import { PageTrail } from './page-trail.js';
import { tooManyDocuments } from './peer-failure.js';
import type { ComponentMemo, PeerPolling } from './peer-memo.js';
import {
  ACCEPT,
  addressWith,
  isUnknownThere,
  notWhole,
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
  readonly invalid: FaultyDescription[];
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** Is it of no use to `judge`, so that nothing of it is held? */
  readonly isUnwanted: boolean;
  /** Why nothing of it is taken, where something in it cannot be read. */
  refused?: string;
}

/** What a peer lists, by the names that its graphs have there, and what is to be remembered of that. */
export type Listing =
  | { readonly kind: 'unchanged'; readonly memo: ComponentMemo }
  | {
      readonly kind: 'whole';
      readonly graphs: ReadonlyMap<string, ListedGraph>;
      readonly memo: ComponentMemo;
    }
  | PeerFailure;

/** Components that nodes of ours put on one page. */
const PAGE = 1000;
/** A page that another one follows is short when it holds fewer descriptions: of nodes of ours, and of others. */
const SHORT = { all: PAGE / 10, unknown: 10 } as const;
/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;
/** Characters of why nothing of a graph is taken. */
const LONGEST_MESSAGE = 500;

/** It is a node of the other kind: with a feed, and so with graphs, or without. */
const OTHER_KIND: PeerFailure = { kind: 'failed', message: 'it does not say who says what it lists' };

/**
 * Reads what a peer lists: page by page and with all graphs from nodes of ours, which say by them where a description comes from,
 * and else as any node lists it. An answer of a node of ours without graphs is not read: all would seem to be its own words.
 * @param anew is the whole listing wanted, even if it is as it was?
 */
export async function fetchListing(polling: PeerPolling, anew: boolean): Promise<Listing> {
  const { graphs = 'all' } = polling.remembered.component ?? {};
  const listing = await readPages(graphs, anew, polling);
  return listing === OTHER_KIND ? readPages(graphs === 'all' ? 'unknown' : 'all', anew, polling) : listing;
}

/** An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
async function readPages(
  graphs: ComponentMemo['graphs'],
  anew: boolean,
  polling: PeerPolling,
): Promise<Listing> {
  const { ask, peer, remembered, maxDocuments } = polling;
  const isAll = graphs === 'all';
  const accept = isAll ? ACCEPT.dataset : ACCEPT.components;
  const listing = new ListedGraphs(polling);
  const trail = new PageTrail();
  let url = addressWith(`${peer}/component`, isAll ? { graphs, limit: PAGE } : {});
  // A fingerprint of one way of asking says nothing of the other.
  let before = remembered.component?.graphs === graphs && !anew ? remembered.component.mark : {};
  let mark: Fingerprint | undefined;
  for (;;) {
    const page = await ask(url, accept, before);
    before = {};
    if (page.kind === 'unchanged' && !mark)
      return { kind: 'unchanged', memo: { mark: page.fingerprint, graphs } };
    if (page.kind === 'failed' && !mark && isAll && isUnknownThere(page)) return OTHER_KIND;
    if (page.kind !== 'whole') return notWhole(page);
    if (page.isOfFeed !== isAll) return OTHER_KIND;
    mark = mark === undefined || isSameState(mark, page.fingerprint) ? page.fingerprint : {};
    const read = await listing.read(page);
    if (typeof read !== 'number') return read;
    const next = trail.follow(page, url, read < SHORT[graphs]);
    if (listing.graphs.size > maxDocuments)
      return { kind: 'failed', message: tooManyDocuments(maxDocuments) };
    if (next === undefined) return { kind: 'whole', graphs: listing.graphs, memo: { mark, graphs } };
    if (typeof next !== 'string') return next;
    url = next;
  }
}

/** Without a tag, one page's hash says nothing of the others; and pages of several states are read again next time. */
function isSameState(before: Fingerprint, { etag }: Fingerprint): boolean {
  return etag !== undefined && before.etag === etag;
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
  async read({ text, mediaType, url }: PeerBody): Promise<number | PeerFailure> {
    const { peer, vocabulary, maxDocuments, parsing, signal } = this.#polling;
    const { namespace } = vocabulary;
    const body = { text, mediaType, base: baseIn(text, peer, url), namespace, maxGraphs: maxDocuments };
    const { pool, ...options } = parsing;
    let descriptions = 0;
    try {
      for await (const some of pool.run(listingTask, body, { ...options, size: text.length })) {
        for (const one of some) {
          this.#take(one);
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
    const graph = this.graphs.get(name) ?? this.#graph(name);
    this.graphs.set(name, graph);
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
