import { sizeOf } from '../../../component/component-size.js';
import type { Metadata } from '../../../component/metadata.js';
import { type PeerRules, takeStatement } from '../../../core/take.js';
import type { Amount } from '../../sync-source.js';
import type { FeedChange, FeedStatement, WrongChange } from '../feed-page.js';
import { tooManyDocuments } from '../peer-failure.js';
import type { DocumentNames } from './document-names.js';
import { MOST_SOURCES } from './peer-summaries.js';
import { WrongGraphs } from './wrong-graphs.js';

/** What has been read of one graph: by uri, what it says of a component, or `null` when it says nothing any more. */
type StagedGraph = Map<string, Metadata | null>;

/** What has been read of one source of the peer, by the names of its graphs. */
interface StagedSource {
  /** Is it all that the source says? Else it is only what has changed. */
  readonly isWhole: boolean;
  readonly graphs: Map<string, StagedGraph>;
}

type Taken = ReturnType<typeof takeStatement>;

interface StagingOptions {
  readonly rules: PeerRules;
  /** Of the documents that are stored. */
  readonly names: DocumentNames;
  /** How much may be staged, and of how many documents. */
  readonly limit: Amount;
  readonly maxDocuments: number;
}

/** Changes without any effect here, beyond ten times what is kept: a peer might send them without an end. */
const USELESS = 100_000;
/** Graphs of sources of which is remembered whether they are accepted. */
const REMEMBERED = 10_000;

/** What one poll has read of a peer's feed and accepts, before any of it is stored. What is read later replaces what was read before. */
export class Staging {
  readonly #options: StagingOptions;
  readonly #sources = new Map<string, StagedSource>();
  readonly #refused = new Map<string, Set<string>>();
  readonly #taken = new Map<string, Taken>();
  readonly wrong = new WrongGraphs();
  #isEverything = false;
  #amount = new StagedAmount();
  #useless = 0;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  get sources(): ReadonlyMap<string, StagedSource> {
    return this.#sources;
  }

  /** Sources of which not all is accepted, and the pods because of which it is not. */
  get refused(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#refused;
  }

  /** Is all of the peer being read? Then there is nothing of a source of which nothing comes. */
  get isEverything(): boolean {
    return this.#isEverything;
  }

  /** Is more staged than may be? */
  get isFull(): boolean {
    return this.#amount.exceeds(this.#options.limit);
  }

  /** Why a peer is not read on, however little of it is staged. */
  get excess(): string | undefined {
    const { limit, maxDocuments } = this.#options;
    const most = USELESS + 10 * limit.components;
    if (this.#amount.graphs > maxDocuments) return tooManyDocuments(maxDocuments);
    if (this.#useless > most) return `it comes with more than ${most} changes that do not concern this node`;
    if (this.wrong.size > maxDocuments) return tooManyDocuments(maxDocuments);
    const isMany = this.#sources.size > MOST_SOURCES || this.#refused.size > MOST_SOURCES;
    return isMany ? `it speaks of more than ${MOST_SOURCES} sources` : undefined;
  }

  /** From now on, everything that the peer says is read. */
  beginAll(): void {
    this.#isEverything = true;
    this.#sources.clear();
    this.#refused.clear();
    this.wrong.clear();
    this.#amount = new StagedAmount();
  }

  /** From now on, all that a source says is read. */
  begin(of: string): void {
    for (const [name, graph] of this.#sources.get(of)?.graphs ?? []) {
      for (const [uri, said] of graph) this.#amount.countStatement(uri, said, -1);
      this.#amount.countGraph(name, -1);
    }
    this.#sources.set(of, { isWhole: true, graphs: new Map() });
    this.#refused.delete(of);
    this.wrong.delete(of);
  }

  isWhole(of: string): boolean {
    return this.#isEverything || this.#sources.get(of)?.isWhole === true;
  }

  /** Notes that something of a source is not accepted: because this node reads a pod itself or takes it from others, or the peer only passes it on. */
  refuse(of: string, pods: Iterable<string>): void {
    this.#refused.set(of, new Set([...(this.#refused.get(of) ?? []), ...pods]));
  }

  add(change: FeedChange): void {
    const { of, graph } = change;
    const taken = this.#take(of, graph);
    if (taken !== 'taken') {
      this.refuse(of, taken.address === undefined ? [] : [taken.address]);
      this.#useless += 1;
    } else if (change.wrong) this.#refuseWrong(change);
    else if (change.metadata) this.#put(change, change.metadata);
    else this.#remove(of, graph, change.uri);
  }

  /** What the peer has and this node does not take: so what is stored of the source has another digest than there. */
  #refuseWrong(change: WrongChange): void {
    const { of, graph: name, uri } = change;
    this.refuse(of, []);
    if (uri === undefined) this.#useless += 1;
    else this.#set(this.#graph(of, name), uri, null);
    this.wrong.add(change);
  }

  #put({ of, graph: name, uri }: FeedStatement, metadata: Metadata): void {
    const graph = this.#graph(of, name);
    if (graph.has(uri)) this.#useless += 1;
    this.#set(graph, uri, metadata);
  }

  /** Of what is read whole, nothing is left to be removed from what is stored. */
  #remove(of: string, name: string, uri: string): void {
    const staged = this.#sources.get(of)?.graphs.get(name);
    const isPartial = !this.isWhole(of);
    if (isPartial && (staged || this.#options.names.find(of, name) !== undefined))
      this.#set(this.#graph(of, name), uri, null);
    else if (staged?.has(uri)) this.#set(staged, uri, undefined);
    else this.#useless += 1;
  }

  #graph(of: string, name: string): StagedGraph {
    const source = this.#sources.get(of) ?? { isWhole: this.#isEverything, graphs: new Map() };
    this.#sources.set(of, source);
    const found = source.graphs.get(name);
    if (found) return found;
    const graph: StagedGraph = new Map();
    source.graphs.set(name, graph);
    this.#amount.countGraph(name, 1);
    return graph;
  }

  #set(graph: StagedGraph, uri: string, said: Metadata | null | undefined): void {
    const before = graph.get(uri);
    if (before !== undefined) this.#amount.countStatement(uri, before, -1);
    if (said === undefined) graph.delete(uri);
    else {
      graph.set(uri, said);
      this.#amount.countStatement(uri, said, 1);
    }
  }

  /** Looked up once for each graph; a page has many changes of few graphs. */
  #take(of: string, graph: string): Taken {
    const { names, rules } = this.#options;
    const key = `${of}\n${graph}`;
    const taken = this.#taken.get(key) ?? takeStatement({ graph, isStored: names.isStored(of), of }, rules);
    if (this.#taken.size > REMEMBERED) this.#taken.clear();
    this.#taken.set(key, taken);
    return taken;
  }
}

/** Bytes that a removal takes, beside its uri. */
const REMOVAL_BYTES = 64;
/** Removals that are staged beyond as many as there may be components: more cost more than reading everything. */
const REMOVALS = 100_000;

/** How much is staged of a peer's feed. */
class StagedAmount {
  graphs = 0;
  #components = 0;
  #removals = 0;
  #bytes = 0;

  /** Is it more than may be? */
  exceeds({ components, bytes }: Amount): boolean {
    return this.#components > components || this.#removals > components + REMOVALS || this.#bytes > bytes;
  }

  /** A description, or a removal, comes (1) or goes (-1). */
  countStatement(uri: string, said: Metadata | null, times: 1 | -1): void {
    if (said) this.#components += times;
    else this.#removals += times;
    this.#bytes += times * (said ? sizeOf(said) : REMOVAL_BYTES + uri.length);
  }

  countGraph(name: string, times: 1 | -1): void {
    this.graphs += times;
    this.#bytes += times * name.length;
  }
}
