import { documentName } from '../../core/take.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { compareText } from '../../lib/compare-text.js';
import { explain } from '../../lib/faults.js';
import { isParseFailure, logStumble, type Wrong } from '../wrong.js';
import type { Preference } from './dialect.js';
import type { Fingerprint } from './fingerprint.js';
import { ListingLimit, type PeerDataset, readListing } from './peer-dataset.js';
import { tooManyDocuments, UNFOLLOWED } from './peer-failure.js';
import type { PeerPolling } from './peer-polling.js';
import {
  addressWith,
  type Parameters,
  type PeerBody,
  type PeerFailure,
  type PeerReading,
  TOO_SLOW,
} from './peer-request.js';

/** What a peer lists, read in one piece or page by page. */
export type Listing =
  | { readonly kind: 'unchanged'; readonly fingerprint: Fingerprint }
  | {
      readonly kind: 'whole';
      readonly dataset: PeerDataset;
      /** Of the first page; lower case. */
      readonly mediaType: string;
      readonly fingerprint: Fingerprint;
      readonly pageSize?: number;
    }
  | (PeerFailure & { readonly pageSize?: number });

/** In which form a listing is wanted. */
export interface WantedListing {
  readonly preference: Preference;
  /** Parameters of the address of the listing. */
  readonly parameters: Parameters;
  /** Of the listing that was read last. */
  readonly before: Fingerprint;
  /** Components on a page, where the listing as a whole has proved too large. */
  readonly pageSize?: number | undefined;
}

/** Page sizes to try, in this order, when what came before was more than `sync.maxBytes`. */
const PAGE_SIZES = [1000, 50];
/** Answers to parameters of a URL that mean nothing to a node. */
const KNOWS_NO_PAGES = [400, 404, 422];
/** A page that another one follows is short when it holds less than this part of what was asked for. */
const SHORT = 1 / 10;
/** Short pages that are read of one listing: each costs a request, and a peer might send them without an end. */
const SHORT_PAGES = 100;

/** Reads a peer's `/component`. An incomplete listing is a failure: nothing may seem to be removed because it did not come. */
export async function fetchListing(wanted: WantedListing, polling: PeerPolling): Promise<Listing> {
  const listing = await new Pages(wanted, polling).read();
  if (listing.kind !== 'failed') return listing;
  // A node that does not know pages is asked without them next time.
  if (KNOWS_NO_PAGES.includes(listing.status ?? 0)) return listing;
  const { pageSize } = wanted;
  const smaller = PAGE_SIZES.find((size) => size < (pageSize ?? Number.POSITIVE_INFINITY)) ?? pageSize;
  if (listing.reason === 'too-large' && smaller !== pageSize) {
    return fetchListing({ ...wanted, before: {}, pageSize: smaller }, polling);
  }
  if (listing.reason === 'too-large') {
    return { ...listing, pageSize, message: `${listing.message}: raise sync.maxBytes to read it` };
  }
  // Too slow for one request may be quick enough for many; the next poll will tell.
  return { ...listing, pageSize: listing.reason === 'timeout' ? smaller : pageSize };
}

/** One pass over the pages of a listing. */
class Pages {
  /** Did the listing change (its entity tag) between the first page and the last? */
  #isTorn = false;
  readonly #wanted: WantedListing;
  readonly #polling: PeerPolling;
  readonly #dataset: PeerDataset = new Map();
  readonly #limit: ListingLimit;
  /** Pages so far that were followed by another one and held much less than was asked for. */
  #short = 0;

  constructor(wanted: WantedListing, polling: PeerPolling) {
    this.#wanted = wanted;
    this.#polling = polling;
    this.#limit = new ListingLimit(polling.limits.most);
  }

  async read(): Promise<Listing> {
    const { before, pageSize } = this.#wanted;
    const first = await this.#ask(undefined, before);
    if (first.kind !== 'whole') return first;
    let page = first;
    for (let after = ''; ; ) {
      const fault = await this.#add(page);
      if (fault !== undefined) return { kind: 'failed', message: fault };
      if (page.next === undefined) break;
      const next = pageSize === undefined ? undefined : nextAfter(page);
      if (next === undefined) return UNFOLLOWED;
      if (compareText(next, after) <= 0) return { kind: 'failed', message: 'its pages lead in a circle' };
      after = next;
      const reading = await this.#ask(after, {});
      if (reading.kind !== 'whole') return notWhole(reading);
      if (reading.fingerprint.etag !== first.fingerprint.etag) this.#isTorn = true;
      page = reading;
    }
    // Without a tag, the first page's hash says nothing of the others; and pages of several states are read again next time.
    const isOne = page === first || (first.fingerprint.etag !== undefined && !this.#isTorn);
    const fingerprint = isOne ? first.fingerprint : {};
    return { kind: 'whole', dataset: this.#dataset, mediaType: first.mediaType, fingerprint, pageSize };
  }

  #ask(after: string | undefined, before: Fingerprint): Promise<PeerReading> {
    const { peer, dialect, signal } = this.#polling;
    const { preference, pageSize, parameters } = this.#wanted;
    const page = pageSize === undefined ? {} : { limit: String(pageSize), after };
    return dialect.ask(
      addressWith(`${peer}/component`, { ...parameters, ...page }),
      preference,
      before,
      signal,
    );
  }

  /** Adds a page; says why it, or the whole listing, cannot be read. */
  async #add({ text, mediaType, url, next }: PeerBody): Promise<string | undefined> {
    const {
      peer,
      url: source,
      isMirror,
      vocabulary,
      maxDocuments,
      parsing,
      log,
      stored,
      signal,
      isWanted,
    } = this.#polling;
    const { pageSize = 0 } = this.#wanted;
    const { namespace } = vocabulary;
    const base = baseIn(text, peer, url);
    const body = { text, mediaType, base, namespace, maxGraphs: maxDocuments };
    try {
      const parts = {
        limit: this.#limit,
        isWanted: (graph: string) => {
          const name = documentName(graph, { peer: source, isMirror });
          return isWanted({ graph, isStored: stored?.documents.has(name) ?? false });
        },
        stumble: (document: string, wrong: Wrong) => logStumble(log, { wrong }, { peer, document }),
      };
      const descriptions = await readListing(this.#dataset, body, parts, parsing);
      if (next !== undefined && descriptions < pageSize * SHORT) this.#short += 1;
    } catch (error) {
      if (!isParseFailure(error)) throw error;
      return signal.aborted ? TOO_SLOW : explain(error);
    }
    if (this.#short > SHORT_PAGES) return `it comes in more than ${SHORT_PAGES} pages that are almost empty`;
    return this.#dataset.size > maxDocuments ? tooManyDocuments(maxDocuments) : undefined;
  }
}

/** A node may be known by another address than its own, which its links begin with: only what follows counts. */
function nextAfter({ next, url }: PeerBody): string | undefined {
  if (next === undefined || !canParseUrl(next, url)) return undefined;
  return new URL(next, url).searchParams.get('after') ?? undefined;
}

function notWhole(reading: Exclude<PeerReading, PeerBody>): PeerFailure {
  return reading.kind === 'failed' ? reading : { kind: 'failed', message: 'answers 304 unasked' };
}

/** The addresses of components begin with the node's own URL, which may be the one that answered. */
function baseIn(body: Uint8Array, peer: string, answered: string): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const base = `${peer}/c/`;
  const other = `${answered.replace(/\/component(\?.*)?$/s, '')}/c/`;
  return !text.includes(base) && text.includes(other) ? other : base;
}
