import { areListed, type ListedAddress, MOST_LISTED } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import { type Introduced, NO_NETWORK } from '../../core/network-lists.js';
import type { ReadFailure } from '../../core/reading.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { type Failed, parsed, TOO_SLOW, Unreadable, unreadable } from '../failures.js';
import { readInPieces } from '../pieces.js';
import { type Addresses, addressTask } from './address-task.js';
import { readPages } from './pages.js';
import type { ListMemo, PeerPolling } from './peer-memo.js';
import { ACCEPT, ITSELF, type PeerBody } from './peer-request.js';

const LISTS = { peers: 'peer', storage: 'storage' } as const;
type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

const TURTLE = 'text/turtle';

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

/** What one poll reads of a peer's `/peers` and `/storage`, each for itself; and everything that fails in the poll. */
export class PeerLists {
  /** By path. */
  readonly failures = new Map<string, Failed>();
  /** The addresses that the peer makes known: those of earlier polls where it could not be asked. */
  introduced: Introduced;
  /** What is to be remembered of the lists. */
  memos: Partial<Record<ListName, ListMemo | undefined>>;
  readonly #polling: PeerPolling;

  constructor(polling: PeerPolling) {
    const { peers, storage } = polling.remembered;
    this.#polling = polling;
    this.memos = { peers, storage };
    this.introduced = polling.stored?.record.introduced ?? NO_NETWORK;
  }

  /** Reads both. Rejects when the poll is stopped. @param anew are their validators not to be believed? */
  async read(anew = false): Promise<void> {
    for (const name of NAMES) if (!this.fault) await this.attempt(`/${name}`, () => this.#read(name, anew));
  }

  /** Reads something else of the peer; notes why it cannot be read. */
  async attempt<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.failures.set(path, error.failure);
      return undefined;
    }
  }

  /** Are they those of which the peer's feed says this in short? */
  are(digest: string | undefined): boolean {
    return digest !== undefined && areListed(digest, this.introduced);
  }

  /** What went wrong, for the operator. What the peer said before is served meanwhile. */
  get failure(): ReadFailure | undefined {
    const all = [...this.failures.values()];
    if (all.length === 0) return undefined;
    const message = [...this.failures].map(([path, { message }]) => `GET ${path}: ${message}`).join('; ');
    const notBefore = Math.max(...all.map((failure) => failure.notBefore ?? 0));
    return { message, notBefore: notBefore || undefined, permanent: all.every(isPermanent) || undefined };
  }

  /** Why there is no point in asking for anything else. */
  get fault(): Failed | undefined {
    if (this.#polling.signal.aborted) return { kind: 'failed', message: TOO_SLOW };
    return [...this.failures.values()].find(
      ({ reason, status }) => status === 429 || POINTLESS.includes(reason),
    );
  }

  async #read(name: ListName, anew: boolean): Promise<void> {
    const { mark = {}, isTurtle: wasTurtle = false } = this.memos[name] ?? {};
    const list = { url: `${this.#polling.peer}/${name}`, accept: ACCEPT.addresses, before: anew ? {} : mark };
    const entries: ListedAddress[] = [];
    let isTurtle = wasTurtle;
    try {
      const read = await readPages(this.#polling, list, async (page) => {
        isTurtle = page.mediaType === TURTLE;
        // The plain list says neither hops nor introducers: what others have told the peer would seem to be its own words.
        if (wasTurtle && !isTurtle) throw notTurtle(page.mediaType);
        const listed = await this.#understood(name, page);
        entries.push(...listed);
        return entries.length > MOST_LISTED.entries ? 'enough' : listed.length;
      });
      this.memos = { ...this.memos, [name]: { mark: read.mark, isTurtle } };
      if (read.isUnchanged) return;
      const isCut = entries.length > MOST_LISTED.entries;
      const others = (this.introduced.cut ?? []).filter((one) => one !== name);
      const cut = isCut ? [...others, name] : others;
      const kept = { [name]: entries.slice(0, MOST_LISTED.entries), cut: cut.length > 0 ? cut : undefined };
      this.introduced = { ...this.introduced, ...kept };
    } catch (error) {
      // A node that has never had such a list is a node without one.
      const isNone = error instanceof Unreadable && error.failure.status === 404;
      if (!isNone || this.introduced[name].length > 0) throw error;
    }
  }

  async #understood(name: ListName, { text, mediaType, url }: PeerBody): Promise<readonly ListedAddress[]> {
    const { vocabulary, self, parsing, signal } = this.#polling;
    // What a list says of itself (`<>`) is the same, whatever part of it was asked for.
    const baseIri = url.replace(/[?#].*$/s, '');
    const { namespace } = vocabulary;
    const body = { text, mediaType, baseIri, namespace, term: LISTS[name] };
    const nothing: Addresses = { entries: [] };
    const { node, entries } = await parsed(readInPieces(addressTask, body, nothing, parsing), signal);
    if (node !== undefined && canParseUrl(node) && sameBaseUrl(node) === sameBaseUrl(self))
      throw new Unreadable(ITSELF);
    return entries;
  }
}

/** Will it stay what it is until somebody changes the peer or the configuration? */
function isPermanent({ reason, status = 0 }: Failed): boolean {
  return reason === 'refused' || reason === 'self' || [401, 403, 404, 410].includes(status);
}

function notTurtle(mediaType: string): Unreadable {
  const now = mediaType || 'of no media type';
  return unreadable(
    `it was Turtle before and is ${now} now, which does not say how its entries are known; if that is meant, start once without this peer in the configuration`,
  );
}
