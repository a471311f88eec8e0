import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { takenFrom } from '../../component/provenance.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import {
  afterFailure,
  type InvalidComponent,
  invalidComponent,
  LONGEST_SUBJECT,
  withUnnamed,
} from '../../core/document-record.js';
import { sameAuthority } from '../../core/precedence.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following, StoredSource } from '../../core/source-record.js';
import { documentName, type PeerGraph } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import { malformed } from '../failures.js';
import type { Statements } from './listing-task.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-request.js';

/** What one poll has read of a peer, by its feed or by its listing, beside its lists of addresses. */
export interface PeerReading extends Pick<Batch, 'complete' | 'digests' | 'disagrees'> {
  /** Absent where nothing is new. */
  readonly documents?: PeerDocuments | undefined;
  /** What is to be remembered; absent where all stays as it was. */
  readonly memo?: Omit<PeerMemo, 'readAs'>;
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
  /** How many more components it describes, which are not held; and bytes of the first of these, or of such news. */
  omitted: number;
  firstOmitted?: number;
  /** Why nothing of it can be taken. */
  refused?: string;
}

const TOO_MUCH = malformed('it says more than this node can hold: raise sync.maxComponents');
/** Wrong descriptions of one document that are named. */
const NAMED_INVALID = 100;
/** Bytes that a component, a removal or a document of no use takes beside its text; and a document that is wanted. */
const [ENTRY_BYTES, DOCUMENT_BYTES] = [200, 600];
/** A name is kept in many places. */
const NAME_COPIES = 5;
/**
 * Bytes that are held beyond what is kept of a peer: of names, of what is new, and again of what is stored, so that new
 * components do not crowd out its news. `judge` chooses what is stored.
 */
const MORE_BYTES = 5_000_000;

/**
 * What a peer says, by document: all that it lists, all that its feed tells, or what has changed since a
 * state. Of a listing, what this node cannot hold is counted; a feed of which this is so is given up, since in
 * its order no document can be cut.
 */
export class PeerDocuments {
  readonly #stored: StoredSource['documents'];
  /** By document; undefined for one that is there and not taken: `judge` needs its name only. */
  readonly #said = new Map<string, Said | undefined>();
  /** Whose the documents are, by their names here. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #bytesLeft: { names: number; news: number; stored: number };

  constructor(
    readonly polling: PeerPolling,
    readonly how: 'listing' | 'feed' | 'changes',
  ) {
    const left = polling.limits.most.bytes + MORE_BYTES;
    this.#bytesLeft = { names: left, news: left, stored: left };
    this.#stored = polling.stored?.documents ?? new Map();
    for (const [url, { of }] of this.#stored) if (of !== undefined) this.#owners.set(url, of);
  }

  /** @throws Failed when it comes to more than this node can hold */
  add({ graph, of, components = [], removed, invalid = [], unnamed = 0, refused }: Statements): void {
    const url = this.#nameOf(graph, of);
    const isNews = components.length + invalid.length + unnamed > 0 || refused !== undefined;
    // What was never there need not be removed.
    if (!isNews && !this.#owners.has(url)) return;
    const said = this.#saidIn(url, { graph, of });
    if (!said) return;
    const before = this.#stored.get(url);
    if (this.how === 'changes' && (before ? before.omitted : this.polling.stored?.record.unread))
      throw malformed('of a document that is not stored whole, changes do not tell what is left out now');
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
    // The upstream of a mirror may have other configured sources: then others rank otherwise of which nothing is said.
    for (const [url, { components: _, ...record }] of authorityOf && this.how === 'changes'
      ? this.#stored
      : []) {
      const authority = this.#said.has(url) ? record.authority : authorityOf?.(url, record.of);
      if (!sameAuthority(authority, record.authority)) yield { url, record: { ...record, authority } };
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
    const bytes = (isWanted ? DOCUMENT_BYTES : ENTRY_BYTES) + NAME_COPIES * url.length;
    if (!this.#holds(bytes, 'names')) throw TOO_MUCH;
    const before = this.how === 'changes' ? this.#stored.get(url)?.invalid : undefined;
    const invalid = new Map(before?.map((one) => [one.subject, one]));
    const said = isWanted ? { of, components: new Map(), invalid, unnamed: 0, omitted: 0 } : undefined;
    this.#owners.set(url, of);
    this.#said.set(url, said);
    return said;
  }

  /** Takes what is said of a component now, instead of what was said on an earlier page. */
  #note(url: string, said: Said, uri: string, component: Metadata | undefined): void {
    said.components.delete(uri);
    said.invalid.delete(uri.slice(0, LONGEST_SUBJECT));
    // Of what is read whole, nothing need be removed.
    if (!component && this.how !== 'changes') return;
    const stored = this.how === 'listing' && this.polling.limits.sayings(url).find(uri)?.metadata;
    const bytes = ENTRY_BYTES + (component ? sizeOf(component) : uri.length);
    if (this.#holds(bytes, stored ? 'stored' : 'news')) {
      said.components.set(uri, component);
      return;
    }
    if (this.how !== 'listing') throw TOO_MUCH;
    said.firstOmitted ??= bytes;
    // What is stored stays as it was.
    if (stored) said.components.set(uri, stored);
    else said.omitted += 1;
  }

  /** True when there is memory for it, which is taken then. */
  #holds(bytes: number, what: 'names' | 'news' | 'stored'): boolean {
    const isHeld = bytes <= this.#bytesLeft[what];
    if (isHeld) this.#bytesLeft[what] -= bytes;
    return isHeld;
  }

  #addInvalid(said: Said, faulty: FaultyDescription): void {
    const one = invalidComponent(faulty);
    const bytes = [one.subject, ...one.reasons].join('').length;
    const isNamed = said.invalid.size < NAMED_INVALID && this.#holds(bytes, 'news');
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
