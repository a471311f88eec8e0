import type { Metadata } from '../../component/metadata.js';
import { takenFrom } from '../../component/provenance.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT } from '../../core/document-record.js';
import { difference, isWithin, NOTHING, roomFor, sum } from '../../core/limits.js';
import type { Amount, Batch, DocumentReading } from '../../core/reading.js';
import type { Following, StoredSource } from '../../core/source-record.js';
import { documentName, type PeerGraph } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import { afterFailure, invalidComponent, malformed, withUnnamed } from '../failures.js';
import type { Statements } from './listing-task.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-request.js';

/** What one poll has read of a peer, by its feed or by its listing, beside its lists of addresses. */
export interface PeerReading extends Pick<Batch, 'complete' | 'digests' | 'disagrees'> {
  /** Absent where nothing is new. */
  readonly documents?: PeerDocuments | undefined;
  /** What is to be remembered; absent where all stays as it was. */
  readonly memo?: Pick<PeerMemo, 'marks' | 'feed'>;
  readonly following?: Following | undefined;
}

/** What is said of one document, as far as it has come. */
interface Said {
  readonly of: string | undefined;
  /** By uri; undefined for what it does not describe any more. */
  readonly components: Map<string, Metadata | undefined>;
  /** By subject; of what has changed, with those of the stored document. */
  readonly invalid: Map<string, InvalidComponent>;
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** How many more components it describes, for which there was no room. */
  omitted: number;
  /** Bytes that the first needs which had no room: one of these, or news beyond what they replace. */
  firstOmitted?: number;
  /** Why nothing of it can be taken. */
  refused?: string;
}

/** Wrong descriptions of one document that are named. */
const NAMED_INVALID = 100;
/** Bytes that a removal, or a document of no use, takes beside its name; and a document that is wanted. */
const [ENTRY_BYTES, DOCUMENT_BYTES] = [200, 1_000];
/** Bytes of all documents beyond what is kept of a peer: that of no use to this node is told by its name. */
const MORE_BYTES = 5_000_000;
/** Characters of a name behind the first 200 count so often: a name is kept in many places. */
const LONG_NAME = { from: 200, times: 5 } as const;

/**
 * What a peer says, by document: all that it lists, all that its feed tells, or what has changed since a
 * state. Of a listing, what there is no room for is counted; a feed of which this is so is given up, since in
 * its order no document can be cut.
 */
export class PeerDocuments {
  readonly #stored: StoredSource['documents'];
  /** By document; undefined for one of no use to `judge`, which is to know that it is there. */
  readonly #said = new Map<string, Said | undefined>();
  /** Whose the documents are, by their names here. */
  readonly #owners = new Map<string, string | undefined>();
  /** What is held; of a listing, beyond what is stored: news count by what they need more than that. */
  #held = NOTHING;
  /** For the names of documents. */
  #bytesLeft: number;

  constructor(
    readonly polling: PeerPolling,
    readonly how: 'listing' | 'feed' | 'changes',
  ) {
    this.#bytesLeft = polling.limits.most.bytes + MORE_BYTES;
    this.#stored = polling.stored?.documents ?? new Map();
    for (const [url, { of }] of this.#stored) if (of !== undefined) this.#owners.set(url, of);
  }

  /** @throws Failed when it comes to more than a node keeps of a peer */
  add({ graph, of, components = [], removed, invalid = [], unnamed = 0, refused }: Statements): void {
    const url = this.#nameOf(graph, of);
    const isNews = components.length + invalid.length + unnamed > 0 || refused !== undefined;
    // What was never there need not be removed.
    if (!isNews && !this.#owners.has(url)) return;
    const said = this.#saidIn(url, { graph, of });
    if (!said) return;
    if (refused !== undefined) said.refused ??= refused;
    if (removed !== undefined) this.#note(url, said, removed, undefined);
    for (const component of components) this.#note(url, said, component.uri, component);
    for (const one of invalid) this.#addInvalid(said, one);
    said.unnamed += unnamed;
  }

  /** What it has come to. */
  *readings(authorityOf: AuthorityOf | undefined): Generator<DocumentReading> {
    for (const [url, said] of this.#said) {
      if (!said) {
        yield { url, record: { of: this.#owners.get(url) } };
        continue;
      }
      const { of, components, invalid, unnamed, omitted, firstOmitted, refused } = said;
      const about = { of, authority: authorityOf?.(url, of) };
      if (refused !== undefined) {
        const failed = afterFailure(this.#stored.get(url), refused, this.polling.clock.now());
        yield { url, record: { ...failed, ...about, of: of ?? failed.of } };
        continue;
      }
      const put = [...components.values()].flatMap((one) => one ?? []);
      const left = { omitted: omitted || undefined, firstOmitted };
      const record = { ...about, ...left, invalid: withUnnamed([...invalid.values()], unnamed) };
      if (this.how === 'changes') {
        const remove = [...components].flatMap(([uri, one]) => (one ? [] : [uri]));
        yield { url, amend: { put, remove }, record };
      } else if (saysSomething(said)) yield { url, components: put, record };
    }
  }

  /** Once everything has been read: stored documents of which nothing came. */
  get gone(): string[] {
    if (this.how === 'changes') return [];
    const isThere = (url: string) => this.#said.has(url) && saysSomething(this.#said.get(url));
    return [...this.#stored.keys()].filter((url) => !isThere(url));
  }

  /**
   * The name under which a document is kept. Two sources of a peer may speak in the same graph: pods that
   * overlap, or the nodes that a mirror reads. The second one is kept under the name that it would have had,
   * had it been taken from that source; a document keeps its name as long as it is stored.
   */
  #nameOf(graph: string, of: string | undefined): string {
    const rules = { peer: this.polling.url, isMirror: this.polling.isMirror };
    const name = documentName(graph, rules);
    const owner = this.#owners.get(name);
    if (of === undefined || owner === of) return name;
    const apart = documentName(takenFrom(of, graph), rules);
    return owner !== undefined || this.#owners.has(apart) ? apart : name;
  }

  #saidIn(url: string, { graph, of }: PeerGraph): Said | undefined {
    if (this.#said.has(url)) return this.#said.get(url);
    const isWanted = this.polling.limits.isWanted({ graph, of });
    const long = LONG_NAME.times * Math.max(0, url.length - LONG_NAME.from);
    this.#bytesLeft -= (isWanted ? DOCUMENT_BYTES : ENTRY_BYTES) + url.length + long;
    if (this.#bytesLeft < 0)
      throw malformed('it names more documents than this node can hold: raise sync.maxComponents');
    const before = this.how === 'changes' ? this.#stored.get(url)?.invalid : undefined;
    const invalid = new Map(before?.map((one) => [one.subject, one]));
    const said = isWanted ? { of, components: new Map(), invalid, unnamed: 0, omitted: 0 } : undefined;
    this.#owners.set(url, of);
    this.#said.set(url, said);
    return said;
  }

  /** Takes what is said of a component now, instead of what was said on an earlier page. */
  #note(url: string, said: Said, uri: string, component: Metadata | undefined): void {
    const { sayings } = this.polling.limits;
    const stored = this.how === 'listing' ? sayings(url).find(uri)?.metadata : undefined;
    const before = stored ? roomFor(stored) : NOTHING;
    const earlier = said.components.get(uri);
    if (earlier) this.#held = difference(this.#held, difference(roomFor(earlier), before));
    said.components.delete(uri);
    said.invalid.delete(uri.slice(0, LONGEST_SUBJECT));
    // Of what is read whole, nothing need be removed.
    if (!component && this.how !== 'changes') return;
    const more = component
      ? difference(roomFor(component), before)
      : { components: 0, bytes: ENTRY_BYTES + uri.length };
    if (this.#admits(more, stored !== undefined)) {
      said.components.set(uri, component);
      return;
    }
    if (this.how !== 'listing') throw malformed('it says more than this node keeps');
    said.firstOmitted ??= more.bytes;
    // What is stored stays as it was where its news need more room than that.
    if (stored) said.components.set(uri, stored);
    else said.omitted += 1;
  }

  /**
   * True, and this is held, when there is room for it: for as much as a node keeps of a peer, and for as much
   * again of what is stored, so that new components that are listed before its news do not crowd them out.
   */
  #admits(amount: Amount, isStored = false): boolean {
    const { most } = this.polling.limits;
    const held = sum(this.#held, amount);
    const isAdmitted = isWithin(held, isStored ? sum(most, most) : most);
    if (isAdmitted) this.#held = held;
    return isAdmitted;
  }

  #addInvalid(said: Said, faulty: FaultyDescription): void {
    const one = invalidComponent(faulty);
    const bytes = [one.subject, ...one.reasons].join('').length;
    const isNamed = said.invalid.size < NAMED_INVALID && this.#admits({ components: 0, bytes });
    if (isNamed) said.invalid.set(one.subject, one);
    else said.unnamed += 1;
  }
}

/** One of no use does. */
function saysSomething(said: Said | undefined): boolean {
  if (!said) return true;
  const { components, invalid, unnamed, omitted, refused } = said;
  return refused !== undefined || components.size + invalid.size + unnamed + omitted > 0;
}
