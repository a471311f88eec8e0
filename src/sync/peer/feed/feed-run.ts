import type { Metadata } from '../../../component/metadata.js';
import { graphTaken, takenFrom } from '../../../component/provenance.js';
import type { DocumentRecord, InvalidComponent } from '../../../core/document-record.js';
import type { DocumentReading } from '../../../core/reading.js';
import type { StoredSource } from '../../../core/source-record.js';
import { documentName, type PeerRules } from '../../../core/take.js';
import type { AuthorityOf } from '../../../core/upstream-order.js';
import { afterFailure } from '../../failures.js';
import { invalidComponents } from '../../invalid-components.js';
import { RoomLeft, roomFor } from '../../room.js';
import { tooManyDocuments } from '../listing-task.js';
import type { PeerPolling } from '../peer-memo.js';
import type { FeedChange } from './feed-page.js';
import { stopped } from './feed-pages.js';

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

/** Wrong descriptions of one document that are named. */
const NAMED = 100;
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
      said.refused ??= wrong ?? '';
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
        yield { url, record: { ...afterFailure(stored, refused, this.#polling.clock.now()), of } };
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
    if (!this.#room.admits(roomFor(metadata))) throw stopped('it says more than this node keeps', 'room');
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
    if (earlier) this.#room.release(roomFor(earlier));
    put.delete(uri);
    removed.delete(uri);
    invalid.delete(uri);
  }
}

/** Whose documents they are, and whether they keep their names. */
type NamingRules = Pick<PeerRules, 'peer' | 'isMirror'>;

/**
 * Under which names the documents of a peer are kept. Two of its sources may speak in the same graph: pods that overlap,
 * or the nodes that a mirror reads. The second one is kept under the name that it would have had, had it been taken from
 * that source; a document keeps its name as long as it is stored.
 */
class DocumentNames {
  readonly #rules: NamingRules;
  /** By source and graph. */
  readonly #names = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(documents: StoredSource['documents'], rules: NamingRules) {
    this.#rules = rules;
    for (const [url, { of }] of documents) {
      if (of === undefined) continue;
      this.#assign(of, graphIn(url, of, rules), url);
    }
  }

  /** The name of a document that is stored already, or has been given a name. */
  find(of: string, graph: string): string | undefined {
    return this.#names.get(keyOf(of, graph));
  }

  nameOf(of: string, graph: string): string {
    const found = this.find(of, graph);
    if (found !== undefined) return found;
    let candidate = graph;
    while (this.#used.has(documentName(candidate, this.#rules))) candidate = takenFrom(of, candidate);
    return this.#assign(of, graph, documentName(candidate, this.#rules));
  }

  #assign(of: string, graph: string, name: string): string {
    this.#names.set(keyOf(of, graph), name);
    this.#used.add(name);
    return name;
  }
}

/** The name that a document's graph has at the peer: `nameOf` may have put the key of its source before it, once or more. */
function graphIn(url: string, of: string, { isMirror }: NamingRules): string {
  return withoutKey(isMirror ? url : (graphTaken(url) ?? url), takenFrom(of, ''));
}

function withoutKey(graph: string, prefix: string): string {
  const inner = graph.startsWith(prefix) ? graphTaken(graph) : undefined;
  return inner === undefined ? graph : withoutKey(inner, prefix);
}

/** Neither the key of a source nor the name of a graph contains a line break. */
function keyOf(of: string, graph: string): string {
  return `${of}\n${graph}`;
}
