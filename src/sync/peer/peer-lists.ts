import { type ListedAddress, MOST_LISTED } from '../../component/network-list.js';
import { addressTask } from '../../component/reading/address-task.js';
import { type Cursor, parseCursor } from '../../core/cursor.js';
import { type Introduced, NO_NETWORK } from '../../core/network-lists.js';
import type { ReadFailure } from '../../core/reading.js';
import { Failed, malformed } from '../failures.js';
import type { Fingerprint, PeerMemo } from './peer-memo.js';
import { type PeerPage, type PeerPolling, readPages } from './peer-request.js';

const LISTS = ['peers', 'storage'] as const;
type ListName = (typeof LISTS)[number];

const TURTLE = 'text/turtle';
const ACCEPT = `${TURTLE}, application/json;q=0.9`;

/** What one poll reads of a peer's `/peers` and `/storage`, each for itself; and everything that fails in the poll. */
export class PeerLists {
  /** By path. */
  readonly failures = new Map<string, Failed>();
  /** The addresses that the peer makes known: those of earlier polls where it could not be asked. */
  introduced: Introduced;
  /** What tells the state of each resource that was read. */
  marks: NonNullable<PeerMemo['marks']>;
  /** Are the lists known as of the state that was asked for, or of a later one? */
  isCurrent = true;

  constructor(readonly polling: PeerPolling) {
    this.marks = polling.remembered.marks ?? {};
    this.introduced = polling.stored?.record.introduced ?? NO_NETWORK;
  }

  /** Reads both. Rejects when the poll is stopped. @param asOf the state that is known of the peer */
  async read(asOf?: Cursor): Promise<void> {
    for (const name of LISTS) {
      // A node that has never had such a list is a node without one.
      const isOptional = this.introduced[name].length === 0;
      await this.attempt(`/${name}`, () => this.#read(name, asOf), isOptional);
    }
  }

  /** Reads something of the peer, unless there is no point in asking; notes why it cannot be read. */
  async attempt<T>(path: string, read: () => Promise<T>, isOptional = false): Promise<T | undefined> {
    if (this.isPointless) return undefined;
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      this.isCurrent = false;
      const isNone = error.why === 'unknown' && error.status === 404;
      if (!(isOptional && isNone)) this.failures.set(path, error);
      return undefined;
    }
  }

  /** What went wrong, for the operator. What the peer said before is served meanwhile. */
  get failure(): ReadFailure | undefined {
    const all = [...this.failures.values()];
    if (all.length === 0) return undefined;
    const message = [...this.failures].map(([path, { message }]) => `GET ${path}: ${message}`).join('; ');
    const notBefore = Math.max(...all.map((failure) => failure.notBefore ?? 0));
    return { message, notBefore: notBefore || undefined };
  }

  /** Has something failed that makes it pointless to ask for anything else? */
  get isPointless(): boolean {
    // It is the node itself, asks for a pause, or nobody is there.
    const why = ['self', 429, 'connection', 'unresolved', 'refused'];
    const isOver = this.polling.signal.aborted;
    return [...this.failures.values()].some((one) => isOver || why.includes(one.reason ?? one.status ?? ''));
  }

  async #read(name: ListName, asOf: Cursor | undefined): Promise<void> {
    const { introduced, marks } = this;
    const path = `/${name}`;
    let listed: ListedAddress[] | undefined;
    let mark: Fingerprint = {};
    for await (const answer of readPages(this.polling, { path, accept: ACCEPT, before: marks[path] })) {
      mark = answer.mark;
      if (!answer.page) continue;
      const state = parseCursor(answer.page.headers.get('feed-cursor') ?? '');
      // Several processes may answer for the peer: one may not have heard yet what another one has told.
      if (state && asOf && (state.epoch !== asOf.epoch || state.position < asOf.position))
        this.isCurrent = false;
      listed ??= [];
      for (const one of await this.#listedOn(answer.page, name)) listed.push(one);
      if (listed.length > MOST_LISTED.entries) break;
    }
    this.marks = { ...marks, [path]: mark };
    if (!listed) return;
    const isMore = listed.length > MOST_LISTED.entries;
    const isCut = (one: ListName) => (one === name ? isMore : introduced.cut?.includes(one));
    const kept = listed.slice(0, MOST_LISTED.entries);
    this.introduced = { ...introduced, [name]: kept, cut: LISTS.filter(isCut) };
  }

  async #listedOn({ text, mediaType, url }: PeerPage, name: ListName): Promise<readonly ListedAddress[]> {
    const { vocabulary, parse } = this.polling;
    // Turtle alone says how entries are known: what others have told the peer would seem to be its own words.
    const isPlain = this.introduced[name].every((entry) => entry.isPlain);
    if (!isPlain && mediaType !== TURTLE)
      throw malformed(
        `it was Turtle before and is ${mediaType || 'of no media type'} now, which does not say how its entries ` +
          'are known; if that is meant, start once without this peer in the configuration',
      );
    const term = name === 'peers' ? 'peer' : 'storage';
    const body = { text, mediaType, baseIri: url, namespace: vocabulary.namespace, term } as const;
    return (await parse(addressTask, body)).listed;
  }
}
