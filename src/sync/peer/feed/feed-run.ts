import type { Metadata } from '../../../component/metadata.js';
import type { DocumentRecord, InvalidComponent } from '../../../core/document-record.js';
import type { DocumentReading } from '../../../core/reading.js';
import type { StoredSource } from '../../../core/source-record.js';
import type { AuthorityOf } from '../../../core/upstream-order.js';
import { invalidComponents } from '../../invalid-components.js';
import { RoomLeft } from '../../room-left.js';
import { refusedRecord, tooManyDocuments } from '../peer-failure.js';
import type { PeerPolling } from '../peer-memo.js';
import { DocumentNames } from './document-names.js';
import type { FeedChange } from './feed-page.js';
import { stopped } from './feed-stop.js';

/** What a run of changes says of one document: the newest that is said of each component. */
interface Said {
  readonly of: string;
  readonly put: Map<string, Metadata>;
  readonly removed: Set<string>;
  /** Descriptions that cannot be taken, by uri: of the document as it is once the run is stored. */
  readonly invalid: Map<string, InvalidComponent>;
  /** Why nothing of the document can be taken. */
  refused?: string;
}

/** Wrong descriptions of one document that are named, and characters of why a document is refused. */
const NAMED = 100;
const LONGEST_MESSAGE = 500;
/** Removals beside as many as there may be components: more cost more than reading everything. */
const REMOVALS = 100_000;
/** Documents that do not concern this node and are told of. */
const UNWANTED = 100_000;

/** What the changes of a feed come to, by document: of all that the peer says, or of what has changed since a state. */
export class FeedRun {
  readonly #polling: PeerPolling;
  readonly #isWhole: boolean;
  readonly #stored: StoredSource['documents'];
  readonly #names: DocumentNames;
  readonly #said = new Map<string, Said>();
  /** Documents of no use to `judge`, with the sources that they belong to: it is to know that they are there. */
  readonly #unwanted = new Map<string, string>();
  /** For what is held: as much as a node keeps of a peer. */
  readonly #room: RoomLeft;
  #removals = 0;
  /** Documents that there are once the run is stored, at most. */
  #documents: number;

  constructor(polling: PeerPolling, isWhole: boolean) {
    this.#polling = polling;
    this.#isWhole = isWhole;
    this.#room = new RoomLeft(polling.limits.most);
    this.#stored = polling.stored?.documents ?? new Map();
    this.#documents = isWhole ? 0 : this.#stored.size;
    this.#names = new DocumentNames(this.#stored, { ...polling, peer: polling.url });
  }

  /** @throws FeedStop when it comes to more than a node keeps of a peer */
  add(change: FeedChange): void {
    const { of, graph, uri, metadata, wrong } = change;
    const names = this.#names;
    if (!this.#polling.limits.isWanted({ graph, of })) {
      this.#unwanted.set(names.nameOf(of, graph), of);
      if (this.#unwanted.size > UNWANTED) throw stopped(tooManyDocuments(UNWANTED), 'failed');
      return;
    }
    if (!metadata && !wrong && names.find(of, graph) === undefined) return;
    const said = this.#saidIn(names.nameOf(of, graph), of);
    if (uri === undefined) {
      said.refused ??= wrong?.slice(0, LONGEST_MESSAGE) ?? '';
      return;
    }
    this.#forget(said, uri);
    if (metadata) this.#put(said, metadata);
    else if (!this.#isWhole) this.#remove(said, uri);
    const faults = wrong === undefined ? [] : [{ pointer: '', detail: wrong }];
    const [invalid] = invalidComponents([{ subject: uri, faults }]) ?? [];
    if (invalid && faults.length > 0 && said.invalid.size < NAMED) said.invalid.set(uri, invalid);
  }

  /** What it has come to. */
  *readings(authorityOf: AuthorityOf | undefined): Generator<DocumentReading> {
    for (const [url, { of, put, removed, invalid, refused }] of this.#said) {
      const components = [...put.values()];
      const named = invalid.size === 0 ? undefined : [...invalid.values()];
      const record: DocumentRecord = { of, authority: authorityOf?.(url, of), invalid: named };
      const stored = this.#stored.get(url);
      if (refused !== undefined)
        yield { url, record: { ...refusedRecord(stored, refused, this.#polling.clock.now()), of } };
      else if (!this.#isWhole) yield { url, amend: { put: components, remove: [...removed] }, record };
      else if (components.length + invalid.size > 0) yield { url, components, record };
    }
    for (const [url, of] of this.#unwanted) yield { url, record: { of } };
  }

  /** Once everything has been read: stored documents of which nothing came. */
  get vanished(): string[] {
    const isThere = (url: string) => {
      const { put, invalid, refused } = this.#said.get(url) ?? {};
      return refused !== undefined || (put?.size ?? 0) + (invalid?.size ?? 0) > 0;
    };
    return [...this.#stored.keys()].filter((url) => !isThere(url) && !this.#unwanted.has(url));
  }

  #saidIn(url: string, of: string): Said {
    const found = this.#said.get(url);
    if (found) return found;
    const { maxDocuments } = this.#polling;
    const before = this.#isWhole ? [] : (this.#stored.get(url)?.invalid ?? []);
    const said = {
      of,
      put: new Map(),
      removed: new Set<string>(),
      invalid: new Map(before.map((one) => [one.subject, one])),
    };
    this.#said.set(url, said);
    if (this.#isWhole || !this.#stored.has(url)) this.#documents += 1;
    // Changes alone do not show which documents are left without anything to say.
    if (this.#documents > maxDocuments)
      throw stopped(tooManyDocuments(maxDocuments), this.#isWhole ? 'failed' : 'malformed');
    return said;
  }

  #put({ put }: Said, metadata: Metadata): void {
    if (!this.#room.admits(metadata)) throw stopped('it says more than this node keeps', 'room');
    put.set(metadata.uri, metadata);
  }

  #remove({ removed }: Said, uri: string): void {
    removed.add(uri);
    this.#removals += 1;
    if (this.#removals > this.#polling.limits.most.components + REMOVALS)
      throw stopped('it removes more than can ever have been there', 'malformed');
  }

  /** What was said of a component on an earlier page. */
  #forget({ put, removed, invalid }: Said, uri: string): void {
    const earlier = put.get(uri);
    if (earlier) this.#room.release(earlier);
    put.delete(uri);
    removed.delete(uri);
    invalid.delete(uri);
  }
}
