import { areListed, type NetworkTerm } from '../../component/network-list.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import { type AddressReading, fetchAddresses } from './address-list.js';
import type { ListMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';
import { type PeerFailure, TOO_SLOW } from './peer-request.js';

const LISTS = { peers: 'peer', storage: 'storage' } as const satisfies Record<string, NetworkTerm>;
type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as ListName[];

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

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
    const read = await this.#ask(name);
    if (read.kind === 'whole') this.#introduced = { ...this.#introduced, [name]: read.entries };
    if (read.kind !== 'failed') {
      const isTurtle = read.kind === 'whole' ? read.isTurtle : this.#memos[name]?.isTurtle;
      this.#memos = { ...this.#memos, [name]: { mark: read.fingerprint, isTurtle } };
    } else if (read.status !== 404 || this.#introduced[name].length > 0) {
      // A node that has never had such a list is a node without one.
      this.failures.set(`/${name}`, read);
    }
  }

  #ask(name: ListName): Promise<AddressReading> {
    const before = this.#memos[name];
    const known = { fingerprint: before?.mark ?? {}, wasTurtle: before?.isTurtle === true };
    return fetchAddresses(`${this.#polling.peer}/${name}`, LISTS[name], known, this.#polling);
  }
}
