import type { Metadata } from '../../component/metadata.js';
import { takenFrom } from '../../component/provenance.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT } from '../../core/document-record.js';
import type { Amount, DocumentReading } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import { documentName, type PeerGraph } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import { afterFailure, invalidComponent, unreadable, withUnnamed } from '../failures.js';
import { RoomLeft, roomFor } from '../room.js';
import type { PeerPolling } from './peer-memo.js';
import type { Statements } from './statements.js';

/** What is said of one document, as far as it has come: of each component the newest. */
interface Said {
  readonly of: string | undefined;
  readonly put: Map<string, Metadata>;
  readonly removed: Set<string>;
  /** By subject; of what has changed, with those of the stored document. */
  readonly invalid: Map<string, InvalidComponent>;
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** How many more components it describes, for which there was no room. */
  omitted: number;
  /** Why nothing of it can be taken. */
  refused?: string;
}

/** Wrong descriptions of one document that are named. */
const NAMED_INVALID = 100;
/** Bytes that a document takes in memory, beside its name and what it says. */
const DOCUMENT_BYTES = 200;
/** Bytes of all documents beyond what is kept of a peer: that of no use to this node is told by its name. */
const MORE_BYTES = 20_000_000;

/**
 * What a peer says, by document: all that it lists, all that its feed tells, or what has changed since a state. Of a listing,
 * what there is no room for is counted; a feed of which this is so is given up, since in its order no document can be cut.
 */
export class PeerDocuments {
  readonly #polling: PeerPolling;
  readonly #how: 'listing' | 'feed' | 'changes';
  readonly #stored: StoredSource['documents'];
  /** By document; undefined for one of no use to `judge`, which is to know that it is there. */
  readonly #said = new Map<string, Said | undefined>();
  /** Whose the documents are, by their names here. */
  readonly #owners = new Map<string, string | undefined>();
  /** For what is held: as much as a node keeps of a peer. */
  readonly #room: RoomLeft;
  /** For the names of documents. */
  #bytesLeft: number;

  constructor(polling: PeerPolling, how: 'listing' | 'feed' | 'changes') {
    const { most } = polling.limits;
    this.#polling = polling;
    this.#how = how;
    this.#room = new RoomLeft(most);
    this.#bytesLeft = most.bytes + MORE_BYTES;
    this.#stored = polling.stored?.documents ?? new Map();
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
    if (removed !== undefined) this.#remove(said, removed);
    for (const component of components) this.#put(said, component);
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
      const { of, put, removed, invalid, unnamed, omitted, refused } = said;
      const about = { of, authority: authorityOf?.(url, of) };
      const now = this.#polling.clock.now();
      if (refused !== undefined) {
        const stored = this.#stored.get(url);
        yield { url, record: { ...afterFailure(stored, refused, now), ...about, of: of ?? stored?.of } };
        continue;
      }
      const components = [...put.values()];
      const named = withUnnamed([...invalid.values()], unnamed);
      const record = { ...about, invalid: named, omitted: omitted || undefined };
      if (this.#how === 'changes') yield { url, amend: { put: components, remove: [...removed] }, record };
      else if (saysSomething(said)) yield { url, components, record };
    }
  }

  /** Once everything has been read: stored documents of which nothing came. */
  get gone(): string[] {
    if (this.#how === 'changes') return [];
    const isThere = (url: string) => this.#said.has(url) && saysSomething(this.#said.get(url));
    return [...this.#stored.keys()].filter((url) => !isThere(url));
  }

  /**
   * The name under which a document is kept. Two sources of a peer may speak in the same graph: pods that overlap, or the nodes
   * that a mirror reads. The second one is kept under the name that it would have had, had it been taken from that source; a
   * document keeps its name as long as it is stored.
   */
  #nameOf(graph: string, of: string | undefined): string {
    const rules = { peer: this.#polling.url, isMirror: this.#polling.isMirror };
    const name = documentName(graph, rules);
    const owner = this.#owners.get(name);
    if (of === undefined || owner === of) return name;
    const apart = documentName(takenFrom(of, graph), rules);
    return owner !== undefined || this.#owners.has(apart) ? apart : name;
  }

  #saidIn(url: string, { graph, of }: PeerGraph): Said | undefined {
    if (this.#said.has(url)) return this.#said.get(url);
    this.#bytesLeft -= DOCUMENT_BYTES + url.length;
    if (this.#bytesLeft < 0)
      throw unreadable('it names more documents than this node can hold: raise sync.maxComponents');
    const before = this.#how === 'changes' ? (this.#stored.get(url)?.invalid ?? []) : [];
    const said: Said | undefined = this.#polling.limits.isWanted({ graph, of })
      ? {
          ...{ of, put: new Map(), removed: new Set(), unnamed: 0, omitted: 0 },
          invalid: new Map(before.map((one) => [one.subject, one])),
        }
      : undefined;
    this.#owners.set(url, of);
    this.#said.set(url, said);
    return said;
  }

  #put(said: Said, component: Metadata): void {
    this.#forget(said, component.uri);
    if (this.#room.admits(roomFor(component))) said.put.set(component.uri, component);
    else if (this.#how === 'listing') said.omitted += 1;
    else throw unreadable(TOO_MUCH);
  }

  #remove(said: Said, uri: string): void {
    this.#forget(said, uri);
    if (this.#how !== 'changes') return;
    if (!this.#room.admits(roomForRemoval(uri))) throw unreadable(TOO_MUCH);
    said.removed.add(uri);
  }

  #addInvalid(said: Said, faulty: FaultyDescription): void {
    const one = invalidComponent(faulty);
    const bytes = [one.subject, ...one.reasons].join('').length;
    const isNamed = said.invalid.size < NAMED_INVALID && this.#room.admits({ components: 0, bytes });
    if (isNamed) said.invalid.set(one.subject, one);
    else said.unnamed += 1;
  }

  /** What was said of a component on an earlier page. */
  #forget({ put, removed, invalid }: Said, uri: string): void {
    const earlier = put.get(uri);
    if (earlier) this.#room.release(roomFor(earlier));
    put.delete(uri);
    if (removed.delete(uri)) this.#room.release(roomForRemoval(uri));
    invalid.delete(uri.slice(0, LONGEST_SUBJECT));
  }
}

const TOO_MUCH = 'it says more than this node keeps';

function roomForRemoval(uri: string): Amount {
  return { components: 0, bytes: DOCUMENT_BYTES + uri.length };
}

/** One of no use does. */
function saysSomething(said: Said | undefined): boolean {
  if (!said) return true;
  const { put, invalid, unnamed, omitted, refused } = said;
  return refused !== undefined || put.size + invalid.size + unnamed + omitted > 0;
}
