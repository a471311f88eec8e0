import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { takenFrom } from '../../component/provenance.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT } from '../../core/document-record.js';
import type { DocumentReading } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import { documentName } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import { afterFailure, invalidComponent, unreadable, withUnnamed } from '../failures.js';
import { RoomLeft, roomFor } from '../room.js';
import { type Statements, tooManyDocuments } from './listing-task.js';
import type { PeerPolling } from './peer-memo.js';

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
  /** Bytes of the texts of the first of these. */
  firstOmitted?: number;
  /** Why nothing of it can be taken. */
  refused?: string;
}

/** Wrong descriptions of one document that are named. */
const NAMED_INVALID = 100;
/** Documents that are told of and not wanted, and removals beyond what is kept of a peer: each is an entry in memory. */
const MOST = { unwanted: 100_000, removals: 100_000 } as const;

/**
 * What a peer says, by document: all that it lists, all that its feed tells, or what has changed since a state. Of a listing,
 * what there is no room for is counted; a feed of which this is so is given up, since in its order no document can be cut.
 */
export class PeerDocuments {
  readonly #polling: PeerPolling;
  readonly #how: 'listing' | 'feed' | 'changes';
  readonly #stored: StoredSource['documents'];
  readonly #said = new Map<string, Said>();
  /** Documents of no use to `judge`, with the sources that they belong to: it is to know that they are there. */
  readonly #unwanted = new Map<string, string | undefined>();
  /** Whose the documents are, by their names here. */
  readonly #owners = new Map<string, string>();
  /** For what is held: as much as a node keeps of a peer. */
  readonly #room: RoomLeft;
  /** Documents that there are once all is stored, at most. */
  #count: number;
  #removals = 0;

  constructor(polling: PeerPolling, how: 'listing' | 'feed' | 'changes') {
    this.#polling = polling;
    this.#how = how;
    this.#room = new RoomLeft(polling.limits.most);
    this.#stored = polling.stored?.documents ?? new Map();
    this.#count = how === 'changes' ? this.#stored.size : 0;
    for (const [url, { of }] of this.#stored) if (of !== undefined) this.#owners.set(url, of);
  }

  /** @throws Unreadable when it comes to more than a node keeps of a peer */
  add({ graph, of, components = [], removed, invalid = [], unnamed = 0, refused }: Statements): void {
    const url = this.#nameOf(graph, of);
    if (!this.#polling.limits.isWanted({ graph, of })) {
      this.#unwanted.set(url, of);
      if (this.#unwanted.size > MOST.unwanted) throw unreadable(tooManyDocuments(MOST.unwanted));
      if (of !== undefined) this.#owners.set(url, of);
      return;
    }
    // What was never there need not be removed.
    const isNews = components.length + invalid.length + unnamed > 0 || refused !== undefined;
    if (removed !== undefined && !isNews && this.#owners.get(url) !== of) return;
    const said = this.#saidIn(url, of);
    if (refused !== undefined) said.refused ??= refused;
    if (removed !== undefined) this.#remove(said, removed);
    for (const component of components) this.#put(said, component);
    for (const one of invalid) this.#addInvalid(said, one);
    said.unnamed += unnamed;
  }

  /** What it has come to. */
  *readings(authorityOf: AuthorityOf | undefined): Generator<DocumentReading> {
    for (const [url, said] of this.#said) {
      const { of, put, removed, invalid, unnamed, omitted, firstOmitted, refused } = said;
      const about = { of, authority: authorityOf?.(url, of) };
      const now = this.#polling.clock.now();
      if (refused !== undefined) {
        const stored = this.#stored.get(url);
        yield { url, record: { ...afterFailure(stored, refused, now), ...about, of: of ?? stored?.of } };
        continue;
      }
      const components = [...put.values()];
      const named = withUnnamed([...invalid.values()], unnamed);
      const record = { ...about, invalid: named, omitted: omitted || undefined, firstOmitted };
      if (this.#how === 'changes') yield { url, amend: { put: components, remove: [...removed] }, record };
      else if (saysSomething(said)) yield { url, components, record };
    }
    for (const [url, of] of this.#unwanted) yield { url, record: { of } };
  }

  /** Once everything has been read: stored documents of which nothing came. */
  get gone(): string[] {
    if (this.#how === 'changes') return [];
    const isThere = (url: string) => this.#unwanted.has(url) || saysSomething(this.#said.get(url));
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
    if (of === undefined) return name;
    const names = [name, documentName(takenFrom(of, graph), rules)];
    const found =
      names.find((one) => this.#owners.get(one) === of) ?? names.find((one) => !this.#owners.has(one));
    if (found === undefined) throw unreadable(`${graph} is of more sources than it can be`);
    return found;
  }

  #saidIn(url: string, of: string | undefined): Said {
    const found = this.#said.get(url);
    if (found) return found;
    const isWhole = this.#how !== 'changes';
    const before = isWhole ? [] : (this.#stored.get(url)?.invalid ?? []);
    const said: Said = {
      ...{ of, put: new Map(), removed: new Set(), unnamed: 0, omitted: 0 },
      invalid: new Map(before.map((one) => [one.subject, one])),
    };
    this.#said.set(url, said);
    if (of !== undefined) this.#owners.set(url, of);
    if (isWhole || !this.#stored.has(url)) this.#count += 1;
    const { maxDocuments } = this.#polling;
    // Changes alone do not show which documents are left without anything to say: everything is read again.
    if (this.#count > maxDocuments)
      throw unreadable(tooManyDocuments(maxDocuments), isWhole ? 'failed' : 'malformed');
    return said;
  }

  #put(said: Said, component: Metadata): void {
    this.#forget(said, component.uri);
    if (this.#room.admits(roomFor(component))) said.put.set(component.uri, component);
    else if (this.#how !== 'listing') throw unreadable('it says more than this node keeps', 'room');
    else {
      said.omitted += 1;
      said.firstOmitted ??= sizeOf(component);
    }
  }

  #remove(said: Said, uri: string): void {
    this.#forget(said, uri);
    if (this.#how !== 'changes') return;
    said.removed.add(uri);
    this.#removals += 1;
    if (this.#removals > this.#polling.limits.most.components + MOST.removals)
      throw unreadable('it tells of more removals than this node follows', 'malformed');
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
    if (removed.delete(uri)) this.#removals -= 1;
    invalid.delete(uri.slice(0, LONGEST_SUBJECT));
  }
}

function saysSomething(said: Said | undefined): boolean {
  if (!said) return false;
  const { put, invalid, unnamed, omitted, refused } = said;
  return refused !== undefined || put.size + invalid.size + unnamed + omitted > 0;
}
