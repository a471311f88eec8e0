import { areListed, type ListedAddress, MOST_LISTED } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import { isParseFailure } from '../wrong.js';
import { type Addresses, readAddresses } from './address-task.js';
import type { Fingerprint } from './fingerprint.js';
import { notWhole, PageTrail } from './pages.js';
import type { ListMemo, PeerPolling } from './peer-memo.js';
import {
  ADDRESSES,
  ITSELF,
  type PeerBody,
  type PeerFailure,
  PLAIN_ADDRESSES,
  TOO_SLOW,
} from './peer-request.js';

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
  readonly kind: 'read';
  readonly entries?: readonly ListedAddress[];
}

/** What one poll reads of a peer's `/peers` and `/storage`, each for itself; and everything that fails in the poll. */
export class PeerLists {
  /** By path. */
  readonly failures = new Map<string, PeerFailure>();
  readonly #polling: PeerPolling;
  #introduced: NetworkLists;
  #memos: Partial<Record<ListName, ListMemo | undefined>>;
  #wasRead = false;

  constructor(polling: PeerPolling) {
    const { peers, storage } = polling.remembered;
    this.#polling = polling;
    this.#memos = { peers, storage };
    this.#introduced = polling.stored?.record.introduced ?? NO_NETWORK;
  }

  /** Reads both conditionally, once in a poll. Rejects when it is stopped. */
  async read(): Promise<void> {
    if (this.#wasRead) return;
    this.#wasRead = true;
    for (const name of NAMES) if (!this.fault) await this.#read(name);
  }

  /** Can they be those of which the peer's feed says this in short? */
  mayBe(digest: string | undefined): boolean {
    return digest === undefined || areListed(digest, this.#introduced);
  }

  /**
   * Compares them with what the peer's feed says of them in short. Lists that differ are kept, and asked for again next time:
   * they have changed just now, or one of the answers is wrong.
   */
  compare(digest: string): void {
    if (this.mayBe(digest)) return;
    this.#wasRead = false;
    for (const name of NAMES) this.#memos = { ...this.#memos, [name]: { ...this.#memos[name], mark: {} } };
  }

  /** What is to be remembered of them. */
  get memos(): Partial<Record<ListName, ListMemo | undefined>> {
    return this.#memos;
  }

  /** Are both as the peer has them? */
  get areRead(): boolean {
    return this.#wasRead && !this.fault && NAMES.every((name) => !this.failures.has(`/${name}`));
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

  async #read(name: ListName): Promise<void> {
    const read = await this.#fetch(name);
    if (read.kind === 'read') {
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
  async #fetch(name: ListName): Promise<ReadList | PeerFailure> {
    const { request, peer, signal } = this.#polling;
    const { mark = {}, isTurtle: wasTurtle = false } = this.#memos[name] ?? {};
    const url = `${peer}/${name}`;
    const reading = await request(url, ADDRESSES, mark, signal);
    if (reading.kind === 'failed') return reading;
    if (reading.kind === 'unchanged') return { kind: 'read', mark: reading.fingerprint, isTurtle: wasTurtle };
    const isTurtle = reading.mediaType === TURTLE;
    if (wasTurtle && !isTurtle) return notTurtle(reading.mediaType);
    const read = await this.#pages(name, url, reading);
    const isUnreadable = read.kind === 'failed' && read.reason !== 'self' && isTurtle;
    if (!isUnreadable || wasTurtle) return read;
    // Turtle in words of its own: the list of the specification is JSON, and says the same.
    const plain = await request(url, PLAIN_ADDRESSES, mark, signal);
    if (plain.kind === 'unchanged') return { kind: 'read', mark: plain.fingerprint };
    return plain.kind === 'whole' ? this.#pages(name, url, plain) : plain;
  }

  /** Reads a list to its last page. Only one that comes in a single page is known again by its fingerprint. */
  async #pages(name: ListName, address: string, first: PeerBody): Promise<ReadList | PeerFailure> {
    const { request, signal } = this.#polling;
    const trail = new PageTrail();
    const entries: ListedAddress[] = [];
    let mark: Fingerprint = first.fingerprint;
    let [url, page] = [address, first];
    for (;;) {
      const read = await this.#understood(name, page);
      if ('kind' in read) return read;
      entries.push(...read.entries);
      const isFull = entries.length >= MOST_LISTED.entries;
      const next = isFull ? undefined : trail.follow(page, url, read.entries.length < SHORT);
      if (!next) break;
      if (next.kind === 'failed') return next;
      const reading = await request(next.url, ADDRESSES, {}, signal);
      if (reading.kind !== 'whole') return notWhole(reading);
      [url, page, mark] = [next.url, reading, {}];
    }
    const isTurtle = first.mediaType === TURTLE;
    return { kind: 'read', mark, isTurtle, entries: entries.slice(0, MOST_LISTED.entries) };
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
