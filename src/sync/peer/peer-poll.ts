import type { NetworkTerm } from '../../component/network-list.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { StoredSource } from '../../store/source-record.js';
import type { PollResult } from '../sync-source.js';
import { fetchAddresses } from './address-list.js';
import { COMPONENTS, type Dialect } from './dialect.js';
import { overtaken, type Taken, type Taking, taken } from './peer-documents.js';
import { pollFailure } from './peer-failure.js';
import { fetchListing, type Listing } from './peer-listing.js';
import {
  type KnownList,
  type KnownListing,
  type PeerMemo,
  peerMemo,
  unmarked,
  withheldToo,
} from './peer-memo.js';
import type { PeerFailure } from './peer-request.js';

export interface PeerPollOptions {
  /** As configured or learned. */
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  /** What is taken, as of now: that depends on the pods which this node reads itself. */
  readonly taking: () => Taking;
  readonly maxDocuments: number;
  readonly isLate: () => boolean;
  readonly stored: StoredSource | undefined;
  readonly signal: AbortSignal;
}

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

const LISTS = { peers: 'peer', storage: 'storage' } as const;

/** One poll of one peer: its two lists and its components, each for itself. Rejects only when the signal is aborted. */
export class PeerPoll {
  readonly #options: PeerPollOptions;
  readonly #base: string;
  readonly #known: PeerMemo;
  readonly #failures = new Map<string, PeerFailure>();

  constructor(options: PeerPollOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, '');
    const memo = peerMemo(options.stored?.record);
    this.#known = memo.readAs === options.readAs ? memo : unmarked(memo);
  }

  async run(): Promise<PollResult> {
    const peers = await this.#list('peers');
    const storage = await this.#list('storage');
    const { component, documents } = await this.#components();
    const memo: PeerMemo = {
      readAs: this.#options.readAs,
      ...(peers ? { peers } : {}),
      ...(storage ? { storage } : {}),
      ...(component ? { component } : {}),
    };
    const failure = pollFailure(this.#failures);
    return { documents, memo: { ...memo }, ...(failure ? { failure } : {}) };
  }

  /** The list as it is now, or as it was when that cannot be learned. */
  async #list(name: keyof typeof LISTS): Promise<KnownList | undefined> {
    const known = this.#known[name];
    if (this.#isGone()) return known;
    const term: NetworkTerm = LISTS[name];
    const { dialect, vocabulary, self, signal } = this.#options;
    const url = `${this.#base}/${name}`;
    const read = await fetchAddresses({
      url,
      term,
      vocabulary,
      self,
      dialect,
      known: known?.mark ?? {},
      signal,
    });
    if (read.kind === 'whole') return { mark: read.mark, entries: read.entries };
    // A node that has never had such a list is a node without one.
    if (read.kind === 'failed' && !(read.status === 404 && !known?.entries.length)) {
      this.#failures.set(`/${name}`, read);
    }
    return known;
  }

  async #components(): Promise<{ component: KnownListing | undefined; documents: Taken['documents'] }> {
    const { stored, taking, maxDocuments } = this.#options;
    const known = this.#known.component;
    if (this.#isSelf()) return { component: undefined, documents: noMore(stored) };
    const listing = this.#isGone() ? undefined : await this.#listing(known);
    if (listing?.kind === 'whole' && listing.dataset.size <= maxDocuments) {
      const { dataset, mark, pageSize } = listing;
      const { documents, withheld } = taken(dataset, stored, taking());
      return { component: { mark, withheld, ...(pageSize === undefined ? {} : { pageSize }) }, documents };
    }
    if (listing) this.#noteListing(listing);
    const { documents, withheld } = overtaken(stored, taking());
    const pageSize = listing?.kind === 'failed' ? listing.pageSize : known?.pageSize;
    return { component: withheldToo(known, withheld, pageSize), documents };
  }

  #listing(known: KnownListing | undefined): Promise<Listing> {
    const { dialect, vocabulary, taking, isLate, signal } = this.#options;
    const current = taking();
    const complete = known?.withheld.every((pod) => current.refusal(pod)) ?? false;
    return fetchListing({
      peer: this.#base,
      vocabulary,
      // What was withheld from the last answer is wanted now: it has to be sent again.
      known: complete ? (known?.mark ?? {}) : {},
      pageSize: known?.pageSize,
      ask: (url, mark) => dialect.ask(url, COMPONENTS, mark, signal),
      isLate,
    });
  }

  #noteListing(listing: Listing): void {
    const { maxDocuments } = this.#options;
    if (listing.kind === 'failed') this.#failures.set('/component', listing);
    if (listing.kind !== 'whole') return;
    const message = `it names ${listing.dataset.size} documents: raise sync.maxDocuments (${maxDocuments}) to take them`;
    this.#failures.set('/component', { kind: 'failed', message });
  }

  #isSelf(): boolean {
    return [...this.#failures.values()].some(({ reason }) => reason === 'self');
  }

  #isGone(): boolean {
    return [...this.#failures.values()].some(
      ({ reason, status }) => status === 429 || POINTLESS.includes(reason),
    );
  }
}

function noMore(stored: StoredSource | undefined): Taken['documents'] {
  return [...(stored?.documents.keys() ?? [])].map((url) => ({ url, record: null }));
}
