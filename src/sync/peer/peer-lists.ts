import { areListed, type ListedAddress, MOST_LISTED } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import { isParseFailure } from '../wrong.js';
import { type Addresses, readAddresses } from './address-task.js';
import { PageTrail } from './page-trail.js';
import type { ListMemo, PeerPolling } from './peer-memo.js';
import { ACCEPT, ITSELF, notWhole, type PeerBody, type PeerFailure, TOO_SLOW } from './peer-request.js';

const LISTS = { peers: 'peer', storage: 'storage' } as const;
type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

const TURTLE = 'text/turtle';
/** A page of a list that another one follows is short when it holds fewer addresses. */
const SHORT = 10;

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

/** A list that was read; without entries where it is as it was. */
interface ReadList extends ListMemo {
  readonly entries?: readonly ListedAddress[];
}

/** What one poll reads of a peer's `/peers` and `/storage`, each for itself; and everything that fails in the poll. */
export class PeerLists {
  /** By path. */
  readonly failures = new Map<string, PeerFailure>();
  readonly #polling: PeerPolling;
  #introduced: NetworkLists;
  #memos: Partial<Record<ListName, ListMemo | undefined>>;

  constructor(polling: PeerPolling) {
    const { peers, storage } = polling.remembered;
    this.#polling = polling;
    this.#memos = { peers, storage };
    this.#introduced = polling.stored?.record.introduced ?? NO_NETWORK;
  }

  /** Reads both. Rejects when the poll is stopped. @param anew are their validators not to be believed? */
  async read(anew = false): Promise<void> {
    for (const name of NAMES) if (!this.fault) await this.#read(name, anew);
  }

  /** Are they those of which the peer's feed says this in short? */
  are(digest: string | undefined): boolean {
    return digest !== undefined && areListed(digest, this.#introduced);
  }

  /** What is to be remembered of them. */
  get memos(): Partial<Record<ListName, ListMemo | undefined>> {
    return this.#memos;
  }

  /** The addresses that the peer makes known: those of earlier polls where it could not be asked. */
  get introduced(): NetworkLists {
    return this.#introduced;
  }

  /** Why there is no point in asking for anything else. */
  get fault(): PeerFailure | undefined {
    if (this.#polling.signal.aborted) return { kind: 'failed', message: TOO_SLOW };
    return [...this.failures.values()].find(
      ({ reason, status }) => status === 429 || POINTLESS.includes(reason),
    );
  }

  async #read(name: ListName, anew: boolean): Promise<void> {
    const read = await this.#fetch(name, anew);
    if (!('kind' in read)) {
      const { mark, isTurtle, entries } = read;
      this.#memos = { ...this.#memos, [name]: { mark, isTurtle } };
      if (entries) this.#introduced = { ...this.#introduced, [name]: entries };
    } else if (read.status !== 404 || this.#introduced[name].length > 0) {
      // A node that has never had such a list is a node without one.
      this.failures.set(`/${name}`, read);
    }
  }

  /**
   * A list that was Turtle before, and cannot be read as that now, is a failure: the plain list says neither hops nor introducers,
   * so that what others have told the peer would seem to be its own words.
   */
  async #fetch(name: ListName, anew: boolean): Promise<ReadList | PeerFailure> {
    const { ask, peer } = this.#polling;
    const { mark = {}, isTurtle: wasTurtle = false } = this.#memos[name] ?? {};
    const url = `${peer}/${name}`;
    const reading = await ask(url, ACCEPT.addresses, anew ? {} : mark);
    if (reading.kind === 'failed') return reading;
    if (reading.kind === 'unchanged') return { mark: reading.fingerprint, isTurtle: wasTurtle };
    const isTurtle = reading.mediaType === TURTLE;
    if (wasTurtle && !isTurtle) return notTurtle(reading.mediaType);
    const read = await this.#pages(name, url, reading);
    return 'kind' in read ? read : { ...read, isTurtle };
  }

  /** Reads a list to its last page. Only one that comes in a single page is known again by its fingerprint. */
  async #pages(name: ListName, address: string, first: PeerBody): Promise<ReadList | PeerFailure> {
    const trail = new PageTrail();
    const entries: ListedAddress[] = [];
    let mark = first.fingerprint;
    let [url, page] = [address, first];
    for (;;) {
      const read = await this.#understood(name, page);
      if ('kind' in read) return read;
      entries.push(...read.entries);
      const isFull = entries.length >= MOST_LISTED.entries;
      const next = isFull ? undefined : trail.follow(page, url, read.entries.length < SHORT);
      if (next === undefined) return { mark, entries: entries.slice(0, MOST_LISTED.entries) };
      if (typeof next !== 'string') return next;
      const reading = await this.#polling.ask(next, ACCEPT.addresses);
      if (reading.kind !== 'whole') return notWhole(reading);
      [url, page, mark] = [next, reading, {}];
    }
  }

  async #understood(name: ListName, { text, mediaType, url }: PeerBody): Promise<Addresses | PeerFailure> {
    const { vocabulary, self, parsing, signal } = this.#polling;
    // What a list says of itself (`<>`) is the same, whatever part of it was asked for.
    const baseIri = url.replace(/[?#].*$/s, '');
    const { namespace } = vocabulary;
    try {
      const read = await readAddresses({ text, mediaType, baseIri, namespace, term: LISTS[name] }, parsing);
      const { node } = read;
      const isSelf = node !== undefined && canParseUrl(node) && sameBaseUrl(node) === sameBaseUrl(self);
      return isSelf ? ITSELF : read;
    } catch (error) {
      if (!isParseFailure(error)) throw error;
      return { kind: 'failed', message: signal.aborted ? TOO_SLOW : explain(error) };
    }
  }
}

function notTurtle(mediaType: string): PeerFailure {
  const now = mediaType || 'of no media type';
  return {
    kind: 'failed',
    message: `it was Turtle before and is ${now} now, which does not say how its entries are known; if that is meant, start once without this peer in the configuration`,
  };
}
