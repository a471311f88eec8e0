import type { Metadata } from '../../component/metadata.js';
import { LOCAL, type Source, sourceKey } from '../../component/precedence.js';
import {
  type Change,
  type ChangeCount,
  countChanges,
  isUnchanged,
  sumOfCounts,
} from '../../registry/change.js';
import type { NetworkLists } from '../../registry/network-lists.js';
import type { Registry } from '../../registry/registry.js';
import { nextRevision, type Revision } from '../../registry/revision.js';
import type { DocumentChange, OwnChange, SourceChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { LoadOptions } from '../registry-store.js';
import type { MemoryCatalog } from './memory-catalog.js';
import type { MemoryData, MemoryDocument, MemorySource } from './memory-data.js';

/** Where the data is kept, so that it outlives the registry. */
export interface DataCell {
  data: MemoryData;
}

/**
 * A registry without a disk. Every change is made in one synchronous step, which makes it atomic, and lasts as
 * long as the cell that holds the data.
 */
export class MemoryRegistry implements Registry {
  readonly #cell: DataCell;
  readonly #catalog: MemoryCatalog;
  readonly #clock: LoadOptions['clock'];
  #revision: Revision;
  #networkRevision: Revision;

  constructor(cell: DataCell, catalog: MemoryCatalog, { clock, random }: LoadOptions) {
    this.#cell = cell;
    this.#catalog = catalog;
    this.#clock = clock;
    const fresh = { epoch: Math.floor(random() * 2 ** 52).toString(36), number: 0, since: 0 };
    this.#revision = cell.data.revision ?? nextRevision(fresh, clock.now());
    this.#networkRevision = cell.data.networkRevision ?? { ...this.#revision, number: 0 };
    this.#keep({});
    this.#show();
  }

  async commit({ source, documents, record: change }: SourceChange): Promise<ChangeCount> {
    const before = this.#sourceOf(source);
    const record = change(before.record);
    const after = new Map(before.documents);
    const counts = documents.map((one) => changeDocument(after, one));
    return this.#replace({ source, record, documents: after }, counts);
  }

  async commitOwn({ put = [], remove = [] }: OwnChange): Promise<ChangeCount> {
    const before = this.#sourceOf(LOCAL);
    const { record = {}, components = new Map() } = before.documents.get(LOCAL.url) ?? {};
    const said = new Map<string, Metadata>(components);
    for (const uri of remove) said.delete(uri);
    for (const metadata of put) said.set(metadata.uri, metadata);
    const documents = new Map(before.documents);
    const count = changeDocument(documents, { url: LOCAL.url, components: [...said.values()], record });
    return this.#replace({ ...before, documents }, [count]);
  }

  async forget(source: Source): Promise<void> {
    const sources = new Map(this.#cell.data.sources);
    const held = sources.get(sourceKey(source));
    if (!held) return;
    sources.delete(sourceKey(source));
    this.#keep({ sources });
    if ([...held.documents.values()].some(({ components }) => components.size > 0)) this.#move();
  }

  async setNetwork(network: NetworkLists): Promise<void> {
    if (JSON.stringify(network) === JSON.stringify(this.#cell.data.network)) return;
    this.#networkRevision = nextRevision(this.#networkRevision, this.#clock.now());
    this.#keep({ network: structuredClone(network) });
    this.#show(true);
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    const held = this.#cell.data.sources.get(sourceKey(source));
    return held && storedSource(held);
  }

  async sources(): Promise<readonly StoredSource[]> {
    return [...this.#cell.data.sources.values()].map(storedSource);
  }

  async close(): Promise<void> {
    // Nothing is under way, and nothing is held that the garbage collector does not find.
  }

  #sourceOf(source: Source): MemorySource {
    const held = this.#cell.data.sources.get(sourceKey(source));
    return held ?? { source, record: { failures: 0 }, documents: new Map() };
  }

  #replace(source: MemorySource, counts: readonly DocumentCount[]): ChangeCount {
    const sources = new Map(this.#cell.data.sources).set(sourceKey(source.source), source);
    this.#keep({ sources });
    if (counts.some(({ moves }) => moves)) this.#move();
    return sumOfCounts(counts);
  }

  #move(): void {
    this.#revision = nextRevision(this.#revision, this.#clock.now());
    this.#keep({});
    this.#show();
  }

  #keep(change: Partial<MemoryData>): void {
    const revisions = { revision: this.#revision, networkRevision: this.#networkRevision };
    this.#cell.data = { ...this.#cell.data, ...change, ...revisions };
  }

  #show(sameComponents = false): void {
    const state = { revision: this.#revision, networkRevision: this.#networkRevision };
    this.#catalog.show(this.#cell.data, state, sameComponents);
  }
}

interface DocumentCount extends ChangeCount {
  /** Does the revision move? Also when only the rank of what is said differs. */
  readonly moves: boolean;
}

const UNMOVED: DocumentCount = { added: 0, changed: 0, removed: 0, moves: false };

function changeDocument(
  documents: Map<string, MemoryDocument>,
  { url, components, record }: DocumentChange,
): DocumentCount {
  const before = documents.get(url)?.components ?? new Map<string, Metadata>();
  if (record !== null && components === undefined) {
    documents.set(url, { record, components: before });
    return UNMOVED;
  }
  const after = new Map<string, Metadata>();
  for (const one of components ?? []) if (!after.has(one.uri)) after.set(one.uri, one);
  const isReranked = record !== null && (record.rank ?? 0) !== (documents.get(url)?.record.rank ?? 0);
  if (record === null) documents.delete(url);
  else documents.set(url, { record, components: after });
  const changes = changesOf(before, after);
  return { ...countChanges(changes), moves: changes.length > 0 || (isReranked && after.size > 0) };
}

function changesOf(before: ReadonlyMap<string, Metadata>, after: ReadonlyMap<string, Metadata>): Change[] {
  const changes: Change[] = [];
  for (const uri of new Set([...before.keys(), ...after.keys()])) {
    const [old, next] = [before.get(uri), after.get(uri)];
    const change: Change = { ...(old ? { before: old } : {}), ...(next ? { after: next } : {}) };
    if (!isUnchanged(change)) changes.push(change);
  }
  return changes;
}

function storedSource({ source, record, documents }: MemorySource): StoredSource {
  const described = [...documents].map(
    ([url, document]) => [url, { ...document.record, components: document.components.size }] as const,
  );
  return { source, record, documents: new Map(described) };
}
