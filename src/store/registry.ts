import type { Metadata } from '../component/metadata.js';
import { LOCAL, type Precedence, type Source, sourceKey } from '../component/precedence.js';
import type { Clock } from '../lib/clock.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { breather } from '../lib/slices.js';
import { type Catalog, createEntry, type Entry, MemoryCatalog } from './catalog.js';
import { type GraphDifference, graphDifference } from './difference.js';
import { graphName } from './graph-name.js';
import { createHeldSource, type HeldSource, heldDocument, storedSource } from './held-source.js';
import { type Loaded, type LoadOptions, loadRegistry } from './load.js';
import type { NetworkLists } from './network-lists.js';
import type { QuadStore, Row } from './quad-store.js';
import { nextRevision, type Revision } from './revision.js';
import type { ChangeCount, DocumentChange, SourceChange, StoredSource } from './source-record.js';
import { TABLES } from './tables.js';

export interface RegistryOptions extends LoadOptions {
  readonly precedence: Precedence;
  readonly clock: Clock;
}

/** What becomes of one document. */
interface Replacement extends GraphDifference {
  readonly rank?: number | undefined;
}

const NO_CHANGE: ChangeCount = { added: 0, changed: 0, removed: 0 };

/**
 * The persistent registry: quads and bookkeeping on disk, the catalog in memory, one way to change both.
 * A change is one atomic batch, flushed to disk before its promise resolves and in the catalog right after;
 * when the batch cannot be written, nothing has changed.
 */
export class Registry {
  readonly #store: QuadStore;
  readonly #options: RegistryOptions;
  readonly #catalog: MemoryCatalog;
  readonly #sources: Map<string, HeldSource>;
  readonly #mutex = new KeyedMutex();
  #revision: Revision;
  #networkRevision: Revision;
  #network: NetworkLists;

  private constructor(store: QuadStore, options: RegistryOptions, loaded: Loaded) {
    this.#store = store;
    this.#options = options;
    this.#sources = loaded.sources;
    this.#revision = loaded.revision;
    this.#networkRevision = loaded.networkRevision;
    this.#network = loaded.network;
    this.#catalog = new MemoryCatalog(options.precedence);
    this.#catalog.update([], loaded.entries);
  }

  /** Reads everything from disk. The store is closed by `close`. @throws UnusableData */
  static async open(store: QuadStore, options: RegistryOptions): Promise<Registry> {
    return new Registry(store, options, await loadRegistry(store, options));
  }

  /** What readers see. */
  get catalog(): Catalog {
    return this.#catalog;
  }

  /** Moves with every change of the stored statements. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The addresses that the node passes on, as `setNetwork` was told. */
  get network(): NetworkLists {
    return this.#network;
  }

  /** Moves with every change of `network`. */
  get networkRevision(): Revision {
    return this.#networkRevision;
  }

  /** Replaces what a source says by what its poll found. */
  commit(change: SourceChange): Promise<ChangeCount> {
    return this.#exclusive(change.source, () => this.#replace(change));
  }

  /** Adds or replaces components in the node's own graph: all of them or none. */
  upsertLocal(components: readonly Metadata[]): Promise<ChangeCount> {
    return this.#changeLocal((own) => {
      const uris = new Set(components.map(({ uri }) => uri));
      return { before: picked(own, uris), after: components };
    });
  }

  /** Removes the node's own statement about a component; false when there was none. */
  async removeLocal(uri: string): Promise<boolean> {
    const count = await this.#changeLocal((own) => ({ before: picked(own, new Set([uri])), after: [] }));
    return count.removed > 0;
  }

  /** Drops a source with all that it brought. */
  async forget(source: Source): Promise<void> {
    await this.#exclusive(source, async () => {
      const held = this.#sources.get(sourceKey(source));
      if (!held) return;
      const documents = [...held.documents.keys()].map((url): DocumentChange => ({ url, record: null }));
      await this.#replace({ source, documents, record: { failures: 0 } }, true);
      this.#sources.delete(sourceKey(source));
    });
  }

  /** Sets the lists; `networkRevision` moves if they differ from the ones before, also before a restart. */
  async setNetwork(lists: NetworkLists): Promise<void> {
    if (JSON.stringify(lists) === JSON.stringify(this.#network)) return;
    const revision = this.#next(this.#networkRevision);
    const rows = [TABLES.meta('network', { revision, lists })];
    await this.#store.write({ rows, durable: true });
    this.#network = lists;
    this.#networkRevision = revision;
  }

  source(source: Source): StoredSource | undefined {
    const held = this.#sources.get(sourceKey(source));
    return held && storedSource(held);
  }

  /** Every source that has been polled or has brought something, the node itself included. */
  sources(): readonly StoredSource[] {
    return [...this.#sources.values()].map(storedSource);
  }

  /** Waits for what is being written, then closes the files. */
  async close(): Promise<void> {
    await this.#mutex.run('commit', () => this.#store.close());
  }

  async #replace({ source, documents, record: change }: SourceChange, forgetting = false) {
    const held = this.#held(source);
    const record = typeof change === 'function' ? change(held.record) : change;
    const differences = new Map<string, Replacement>();
    const rows: Row[] = [TABLES.source(source, forgetting ? undefined : record)];
    for (const { url, components, record: documentRecord } of documents) {
      const known = held.documents.get(url);
      const before = known?.entries ?? new Map<string, Entry>();
      const after = documentRecord === null ? [] : components;
      const rank = documentRecord?.rank;
      const reranked = rank !== known?.record.rank;
      if (after) {
        const difference = await this.#difference(source, url, before, after, reranked);
        differences.set(url, { ...difference, rank });
      }
      rows.push(TABLES.document(source, url, documentRecord ?? undefined));
    }
    const count = await this.#write(held, differences, rows);
    for (const { url, record: documentRecord } of documents) {
      if (documentRecord === null) held.documents.delete(url);
      else heldDocument(held, url).record = documentRecord;
    }
    held.record = record;
    return count;
  }

  #changeLocal(
    choose: (own: ReadonlyMap<string, Entry>) => {
      before: ReadonlyMap<string, Entry>;
      after: readonly Metadata[];
    },
  ): Promise<ChangeCount> {
    return this.#exclusive(LOCAL, async () => {
      const held = this.#held(LOCAL);
      const { before, after } = choose(heldDocument(held, LOCAL.url).entries);
      const difference = await this.#difference(LOCAL, LOCAL.url, before, after);
      return this.#write(held, new Map([[LOCAL.url, difference]]), []);
    });
  }

  #difference(
    source: Source,
    url: string,
    before: ReadonlyMap<string, Entry>,
    after: readonly Metadata[],
    reranked = false,
  ): Promise<Replacement> {
    return graphDifference(graphName(source, url), this.#options.vocabulary, before, after, reranked);
  }

  /** Writes the differences of one source as one batch, then shows them to readers. */
  async #write(
    held: HeldSource,
    differences: ReadonlyMap<string, Replacement>,
    rows: readonly Row[],
  ): Promise<ChangeCount> {
    const all = [...differences.values()];
    const remove = all.flatMap((difference) => difference.remove);
    const add = all.flatMap((difference) => difference.add);
    const real = all.some(({ gone, come }) => gone.length + come.length > 0);
    const come = await this.#entries(held.source, differences);
    const prepared = await this.#store.prepare({ remove, add, rows, durable: real });
    await this.#mutex.run('commit', async () => {
      if (!real) return prepared.write();
      const revision = this.#next(this.#revision);
      await prepared.write([TABLES.meta('revision', revision)]);
      this.#revision = revision;
      this.#show(held, differences, come);
      await this.#date(revision);
    });
    return all.reduce((sum, { count }) => added(sum, count), NO_CHANGE);
  }

  /**
   * Readers saw the change only after it was written. Where that took it into another second, its date is
   * moved on: who was told the old state meanwhile would take it for the new one.
   */
  async #date(revision: Revision): Promise<void> {
    const since = this.#options.clock.now();
    if (Math.floor(since / 1000) <= Math.floor(revision.since / 1000)) return;
    this.#revision = { ...revision, since };
    await this.#store.write({ rows: [TABLES.meta('revision', this.#revision)], durable: false });
  }

  #show(
    held: HeldSource,
    differences: ReadonlyMap<string, GraphDifference>,
    come: ReadonlyMap<string, Entry[]>,
  ): void {
    for (const [url, { gone }] of differences) {
      const { entries } = heldDocument(held, url);
      for (const { metadata } of gone) entries.delete(metadata.uri);
      for (const entry of come.get(url) ?? []) entries.set(entry.metadata.uri, entry);
    }
    const gone = [...differences.values()].flatMap((difference) => difference.gone);
    this.#catalog.update(gone, [...come.values()].flat());
  }

  async #entries(
    source: Source,
    differences: ReadonlyMap<string, Replacement>,
  ): Promise<Map<string, Entry[]>> {
    const entries = new Map<string, Entry[]>();
    const breathe = breather();
    for (const [document, { come, rank }] of differences) {
      const list: Entry[] = [];
      for (const metadata of come) {
        list.push(createEntry(metadata, source, document, this.#options, rank));
        await breathe();
      }
      entries.set(document, list);
    }
    return entries;
  }

  #held(source: Source): HeldSource {
    const key = sourceKey(source);
    const held = this.#sources.get(key) ?? createHeldSource(source);
    this.#sources.set(key, held);
    return held;
  }

  #next(revision: Revision): Revision {
    return nextRevision(revision, this.#options.clock.now());
  }

  #exclusive<T>(source: Source, task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(sourceKey(source), task);
  }
}

function picked(entries: ReadonlyMap<string, Entry>, uris: ReadonlySet<string>): Map<string, Entry> {
  const result = new Map<string, Entry>();
  for (const uri of uris) {
    const entry = entries.get(uri);
    if (entry) result.set(uri, entry);
  }
  return result;
}

function added(one: ChangeCount, other: ChangeCount): ChangeCount {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    removed: one.removed + other.removed,
  };
}
