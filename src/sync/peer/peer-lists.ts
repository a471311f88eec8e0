import { areListed, type NetworkTerm } from '../../component/network-list.js';
import { type NetworkLists, NO_NETWORK } from '../../core/network-lists.js';
import type { SourceRecord } from '../../core/source-record.js';
import { type AddressReading, fetchAddresses } from './address-list.js';
import type { ListMemo, PeerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';
import type { PeerFailure } from './peer-request.js';

const LISTS = { peers: 'peer', storage: 'storage' } as const satisfies Record<string, NetworkTerm>;
type ListName = keyof typeof LISTS;

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

/** What one poll reads of a peer's `/peers` and `/storage`, each for itself; and everything that fails in the poll. */
export class PeerLists {
  /** By path. */
  readonly failures = new Map<string, PeerFailure>();
  readonly #polling: PeerPolling;
  readonly #introduced: { -readonly [name in ListName]?: NetworkLists[name] } = {};
  readonly #fingerprints: { -readonly [name in ListName]?: PeerMemo[name] };
  #reading: Promise<void> | undefined;
  #areOthers = false;

  constructor(polling: PeerPolling) {
    this.#polling = polling;
    const { peers, storage } = polling.remembered;
    this.#fingerprints = { peers, storage };
  }

  /** Reads both, once in a poll. Rejects when it is stopped. */
  read(): Promise<void> {
    this.#reading ??= this.#read('peers').then(() => this.#read('storage'));
    return this.#reading;
  }

  /**
   * Compares what is known with what the peer says of its lists in short. Lists that differ are kept, but do not count as
   * complete: they have changed just now, or one of the peer's answers is wrong.
   */
  compare(digest: string): void {
    this.#areOthers = !areListed(digest, this.introduced(this.#polling.stored?.record));
  }

  /** The fingerprints of the states that are known now; none of what is to be read again. */
  get fingerprints(): Pick<PeerMemo, ListName> {
    if (!this.#areOthers) return this.#fingerprints;
    const { peers, storage } = this.#fingerprints;
    return { peers: forgotten(peers), storage: forgotten(storage) };
  }

  /** Were they asked for in this poll? */
  get wasRead(): boolean {
    return this.#reading !== undefined;
  }

  /** Have both come? */
  get isComplete(): boolean {
    return (
      !this.isGone && !this.#areOthers && Object.keys(LISTS).every((name) => !this.failures.has(`/${name}`))
    );
  }

  /** The addresses that the peer makes known, given what was remembered. */
  introduced(record: SourceRecord | undefined): NetworkLists {
    return { ...(record?.introduced ?? NO_NETWORK), ...this.#introduced };
  }

  /** Is the peer the node itself, by another name? */
  get isSelf(): boolean {
    return [...this.failures.values()].some(({ reason }) => reason === 'self');
  }

  /** Is there no point in asking for anything else? */
  get isGone(): boolean {
    return [...this.failures.values()].some(
      ({ reason, status }) => status === 429 || POINTLESS.includes(reason),
    );
  }

  async #read(name: ListName): Promise<void> {
    if (this.isGone) return;
    const read = await this.#ask(name);
    if (read.kind === 'whole') this.#introduced[name] = read.entries;
    if (read.kind !== 'failed') {
      const isTurtle = read.kind === 'whole' ? read.isTurtle : this.#polling.remembered[name]?.isTurtle;
      this.#fingerprints[name] = { mark: read.fingerprint, isTurtle };
    } else if (!(read.status === 404 && this.#introducedBefore(name) === 0)) {
      // A node that has never had such a list is a node without one.
      this.failures.set(`/${name}`, read);
    }
  }

  #ask(name: ListName): Promise<AddressReading> {
    const { peer, remembered } = this.#polling;
    const before = remembered[name];
    const known = { fingerprint: before?.mark ?? {}, wasTurtle: before?.isTurtle === true };
    return fetchAddresses(`${peer}/${name}`, LISTS[name], known, this.#polling);
  }

  #introducedBefore(name: ListName): number {
    return (this.#polling.stored?.record.introduced ?? NO_NETWORK)[name].length;
  }
}

/** The state is forgotten, and not how it was told. */
function forgotten(known: ListMemo | undefined): ListMemo | undefined {
  return known && { mark: {}, isTurtle: known.isTurtle };
}
