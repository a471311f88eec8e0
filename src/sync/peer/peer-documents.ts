import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { takenFrom } from '../../component/provenance.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT } from '../../core/document-record.js';
import { amountOfAll, larger, roomFor } from '../../core/limits.js';
import type { Batch, DocumentReading } from '../../core/reading.js';
import type { Following, StoredSource } from '../../core/source-record.js';
import { documentName, type PeerGraph } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import { afterFailure, invalidComponent, unreadable, withUnnamed } from '../failures.js';
import { RoomLeft } from '../room.js';
import type { Statements } from './listing-task.js';
import type { PeerMemo, PeerPolling } from './peer-memo.js';

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
  components?: Map<string, Metadata | undefined>;
  /** By subject; of what has changed, with those of the stored document. */
  invalid?: Map<string, InvalidComponent>;
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** How many more components it describes, for which there was no room. */
  omitted: number;
  /** Bytes of the texts of the first of these. */
  firstOmitted?: number;
  /** Why nothing of it can be taken. */
  refused?: string;
}

/** Wrong descriptions of one document that are named. */
const NAMED_INVALID = 100;
/** Bytes that a removal, or a document of no use, takes in memory beside its name; and a document that is wanted. */
const [ENTRY_BYTES, DOCUMENT_BYTES] = [200, 1_000];
/** Bytes of all documents beyond what is kept of a peer: that of no use to this node is told by its name. */
const MORE_BYTES = 5_000_000;
/** Characters of names beyond so many each, of all documents: a name is kept in many places. */
const LONG_NAMES = { from: 200, most: 5_000_000 } as const;

/**
 * What a peer says, by document: all that it lists, all that its feed tells, or what has changed since a state. Of a listing,
 * what there is no room for is counted; a feed of which this is so is given up, since in its order no document can be cut.
 */
export class PeerDocuments {
  readonly #stored: StoredSource['documents'];
  /** By document; undefined for one of no use to `judge`, which is to know that it is there. */
  readonly #said = new Map<string, Said | undefined>();
  /** Whose the documents are, by their names here. */
  readonly #owners = new Map<string, string | undefined>();
  /** For what is held: as much as a node keeps of a peer. */
  readonly #room: RoomLeft;
  /** For what is listed of what is stored, when the other room is taken by what is listed before. */
  readonly #roomForStored: RoomLeft;
  /** For the names of documents. */
  #bytesLeft: number;
  #longNamesLeft: number = LONG_NAMES.most;

  constructor(
    readonly polling: PeerPolling,
    readonly how: 'listing' | 'feed' | 'changes',
  ) {
    const { most } = polling.limits;
    this.#room = new RoomLeft(most);
    this.#bytesLeft = most.bytes + MORE_BYTES;
    this.#stored = polling.stored?.documents ?? new Map();
    this.#roomForStored = new RoomLeft(larger(most, amountOfAll(this.#stored)));
    for (const [url, { of }] of this.#stored) if (of !== undefined) this.#owners.set(url, of);
  }

  /** @throws Unreadable when it comes to more than a node keeps of a peer */
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
      const { of, components = [], invalid = [], unnamed, omitted, firstOmitted, refused } = said;
      const about = { of, authority: authorityOf?.(url, of) };
      if (refused !== undefined) {
        const failed = afterFailure(this.#stored.get(url), refused, this.polling.clock.now());
        yield { url, record: { ...failed, ...about, of: of ?? failed.of } };
        continue;
      }
      const put = [...components].flatMap(([, one]) => one ?? []);
      const named = [...invalid].map(([, one]) => one);
      const record = {
        ...about,
        invalid: withUnnamed(named, unnamed),
        omitted: omitted || undefined,
        firstOmitted,
      };
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
   * The name under which a document is kept. Two sources of a peer may speak in the same graph: pods that overlap, or the nodes
   * that a mirror reads. The second one is kept under the name that it would have had, had it been taken from that source; a
   * document keeps its name as long as it is stored.
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
    this.#bytesLeft -= (isWanted ? DOCUMENT_BYTES : ENTRY_BYTES) + url.length;
    this.#longNamesLeft -= Math.max(0, url.length - LONG_NAMES.from);
    if (this.#bytesLeft < 0)
      throw unreadable('it names more documents than this node can hold: raise sync.maxComponents');
    if (this.#longNamesLeft < 0) throw unreadable('the names of its documents are too long, taken together');
    const before = this.how === 'changes' ? this.#stored.get(url)?.invalid : undefined;
    const invalid = before && new Map(before.map((one) => [one.subject, one]));
    const said: Said | undefined = isWanted ? { of, invalid, unnamed: 0, omitted: 0 } : undefined;
    this.#owners.set(url, of);
    this.#said.set(url, said);
    return said;
  }

  /** Takes what is said of a component now, instead of what was said on an earlier page. */
  #note(url: string, said: Said, uri: string, component: Metadata | undefined): void {
    const earlier = said.components?.get(uri);
    if (earlier) this.#room.release(roomFor(earlier));
    said.components?.delete(uri);
    said.invalid?.delete(uri.slice(0, LONGEST_SUBJECT));
    // Of what is read whole, nothing need be removed.
    if (!component && this.how !== 'changes') return;
    const amount = component ? roomFor(component) : { components: 0, bytes: ENTRY_BYTES + uri.length };
    said.components ??= new Map();
    if (this.#room.admits(amount)) {
      said.components.set(uri, component);
      return;
    }
    if (this.how !== 'listing' || !component) throw unreadable('it says more than this node keeps');
    const stored = this.polling.limits.sayings(url).find(uri);
    if (stored && this.#roomForStored.admits(amount)) {
      said.components.set(uri, component);
      return;
    }
    // What is stored stays as it was where its news have no room.
    if (stored) said.components.set(uri, stored.metadata);
    said.omitted += 1;
    said.firstOmitted ??= sizeOf(component);
  }

  #addInvalid(said: Said, faulty: FaultyDescription): void {
    const one = invalidComponent(faulty);
    const bytes = [one.subject, ...one.reasons].join('').length;
    said.invalid ??= new Map();
    const isNamed = said.invalid.size < NAMED_INVALID && this.#room.admits({ components: 0, bytes });
    if (isNamed) said.invalid.set(one.subject, one);
    else said.unnamed += 1;
  }
}

/** One of no use does. */
function saysSomething(said: Said | undefined): boolean {
  if (!said) return true;
  const { components, invalid, unnamed, omitted, refused } = said;
  const named = (components?.size ?? 0) + (invalid?.size ?? 0);
  return refused !== undefined || named + unnamed + omitted > 0;
}
