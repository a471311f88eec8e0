import type { Metadata } from '../component/metadata.js';
import { LOCAL, type Source, sourceKey } from '../component/precedence.js';
import { StorageFailure } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { Catalog, MemoryCatalog } from './catalog.js';
import { type Comparison, type DocumentDifference, documentDifference } from './difference.js';
import { graphName } from './graph-name.js';
import { type HeldDocument, type Sources, storedSource } from './held-source.js';
import { type Loaded, type LoadOptions, loadRegistry, statementsRow } from './load.js';
import type { NetworkLists } from './network-lists.js';
import type { QuadStore, Row } from './quad-store.js';
import type { Intent, RedoLog } from './redo-log.js';
import { type GraphReplacements, quadChange } from './replacement.js';
import { nextRevision, type Revision } from './revision.js';
import { SharedTexts } from './shared-texts.js';
import type { ChangeCount, DocumentChange, SourceChange, StoredSource } from './source-record.js';
import { TABLES } from './tables.js';

export type RegistryOptions = LoadOptions;

/** More components than this are not changed in one batch, but by way of the redo log. */
const LARGE = 1000;

const NO_CHANGE: ChangeCount = { added: 0, changed: 0, removed: 0 };

/**
 * The persistent registry: quads and bookkeeping on disk, the catalog in memory, one way to change both.
 * A change is atomic, flushed to disk before its promise resolves, and in the catalog at the instant at which
 * it is decided; when it cannot be written, nothing has changed.
 */
export class Registry {
  readonly #store: QuadStore;
  readonly #options: RegistryOptions;
  readonly #catalog: MemoryCatalog;
  readonly #sources: Sources;
  readonly #redoLog: RedoLog;
  readonly #versions: SharedTexts;
  readonly #mutex = new KeyedMutex();
  /** What was decided for a source and could not be carried out, by the source's key. */
  readonly #unfinished = new Map<string, Intent>();
  #statements: number;
  #revision: Revision;
  #networkRevision: Revision;
  #network: NetworkLists;

  private constructor(store: QuadStore, options: RegistryOptions, loaded: Loaded, versions: SharedTexts) {
    this.#store = store;
    this.#options = options;
    this.#versions = versions;
    this.#sources = loaded.sources;
    this.#catalog = loaded.catalog;
    this.#redoLog = loaded.redoLog;
    this.#statements = loaded.statements;
    this.#revision = loaded.revision;
    this.#networkRevision = loaded.networkRevision;
    this.#network = loaded.network;
  }

  /** Reads everything from disk. The store is closed by `close`. @throws UnusableData */
  static async open(store: QuadStore, options: RegistryOptions): Promise<Registry> {
    const versions = new SharedTexts();
    return new Registry(store, options, await loadRegistry(store, options, versions), versions);
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

  /**
   * Replaces what a source says by what its poll found. A record alone that cannot be stored is kept in memory
   * nevertheless, because the status tells from it that polls fail. @throws StorageFailure
   */
  commit(change: SourceChange): Promise<ChangeCount> {
    const { source, documents, record } = change;
    return this.#exclusive(source, () => this.#replace(change)).catch((error) => {
      const alone = error instanceof StorageFailure && documents.length === 0;
      if (alone && typeof record === 'object') this.#sources.of(source).record = record;
      throw error;
    });
  }

  /** Adds or replaces components in the node's own graph: all of them or none. */
  upsertLocal(components: readonly Metadata[]): Promise<ChangeCount> {
    return this.#exclusive(LOCAL, async () => {
      const document = this.#sources.document(LOCAL, LOCAL.url);
      return this.#write([await this.#difference(document, document.origin, components, [])], []);
    });
  }

  /** Removes the node's own statement about a component; false when there was none. */
  removeLocal(uri: string): Promise<boolean> {
    return this.#exclusive(LOCAL, async () => {
      const document = this.#sources.document(LOCAL, LOCAL.url);
      const own = this.#statementOf(document, uri);
      if (!own) return false;
      await this.#write([await this.#difference(document, document.origin, [], [own])], []);
      return true;
    });
  }

  /** Drops a source with all that it brought. */
  async forget(source: Source): Promise<void> {
    await this.#exclusive(source, async () => {
      const held = this.#sources.get(source);
      if (!held) return;
      const documents = [...held.documents.keys()].map((url): DocumentChange => ({ url, record: null }));
      await this.#replace({ source, documents, record: { failures: 0 } }, true);
      this.#sources.delete(source);
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

  /** Why nothing can be stored at present. */
  get trouble(): QuadStore['trouble'] {
    return this.#store.trouble;
  }

  source(source: Source): StoredSource | undefined {
    const held = this.#sources.get(source);
    return held && storedSource(held);
  }

  /** Every source that has been polled or has brought something, the node itself included. */
  sources(): readonly StoredSource[] {
    return this.#sources.all().map(storedSource);
  }

  /** Waits for what is being written, then closes the files. */
  async close(): Promise<void> {
    await this.#mutex.run('commit', () => this.#store.close());
  }

  async #replace(
    { source, documents, record: change }: SourceChange,
    forgetting = false,
  ): Promise<ChangeCount> {
    const record = typeof change === 'function' ? change(this.#sources.of(source).record) : change;
    const rows: Row[] = [TABLES.source(source, forgetting ? undefined : record)];
    const differences: DocumentDifference[] = [];
    const touched: { document: HeldDocument; change: DocumentChange }[] = [];
    for (const change of documents) {
      const document = this.#sources.document(source, change.url);
      touched.push({ document, change });
      const after = change.record === null ? [] : change.components;
      const rank = change.record?.rank;
      const origin = rank === document.origin.rank ? document.origin : { ...document.origin, rank };
      if (after) differences.push(await this.#difference(document, origin, after, document.entries));
      rows.push(TABLES.document(source, change.url, change.record ?? undefined));
      if (change.record === null) rows.push(TABLES.graph(graphName(source, change.url), undefined));
    }
    const count = await this.#write(differences, rows);
    for (const { document, change } of touched) {
      if (change.record === null) this.#sources.of(source).documents.delete(change.url);
      else this.#sources.hold(Object.assign(document, { record: change.record }));
    }
    this.#sources.of(source).record = record;
    return count;
  }

  #difference(
    document: HeldDocument,
    origin: Comparison['origin'],
    after: Comparison['after'],
    among: Comparison['among'],
  ): Promise<DocumentDifference> {
    const all =
      among === document.entries ? new Map(document.entries.map((one) => [one.uri, one])) : undefined;
    const find = (uri: string) => (all ? all.get(uri) : this.#statementOf(document, uri));
    return documentDifference({ document, origin, find, after, among }, this.#options, this.#versions);
  }

  #statementOf(document: HeldDocument, uri: string) {
    return this.#catalog.statements(uri).find(({ origin }) => origin === document.origin);
  }

  /**
   * Writes the differences of one source atomically, and shows them to readers once that is decided:
   * 1. (large ones only) notes in the redo log what is to happen to the quads, part by part;
   * 2. prepares, in slices, one batch: quads (or the decision to do what was noted), rows, bookkeeping;
   * 3. alone, because revisions have an order: prepares the catalog in slices, writes the batch (this decides
   *    it), then shows the new catalog and the new revision in one step;
   * 4. (large ones only) does to the quads what was noted. A crash before 3 changes nothing; after it,
   *    step 4 is done at the next start.
   */
  async #write(differences: readonly DocumentDifference[], rows: readonly Row[]): Promise<ChangeCount> {
    const count = differences.reduce((sum, difference) => added(sum, difference.count), NO_CHANGE);
    const real = differences.some(({ gone, come }) => gone.length + come.length > 0);
    const graphs = differences.map(graphReplacements).filter(({ replacements }) => replacements.length > 0);
    const size = graphs.reduce((sum, { replacements }) => sum + replacements.length, 0);
    const intent = size > LARGE ? await this.#redoLog.note(graphs) : undefined;
    const { remove, add, rows: statements } = await quadChange(intent ? [] : graphs, this.#options);
    const numbers = graphs.map(({ graph, number }) => TABLES.graph(graph, number));
    const prepared = await this.#store.prepare({
      remove,
      add,
      // The rows of a document that goes come last: its number goes with it.
      rows: [...numbers, ...statements, ...rows, ...(intent ? [intent.decision] : [])],
      durable: real,
    });
    await this.#mutex.run('commit', async () => {
      if (!real) return prepared.write();
      const change = await this.#catalog.prepare(
        differences.flatMap(({ gone }) => gone),
        differences.flatMap(({ come }) => come),
      );
      const revision = this.#next(this.#revision);
      const total = this.#statements + count.added - count.removed;
      await prepared.write([TABLES.meta('revision', revision), statementsRow(this.#options, total)]);
      this.#revision = revision;
      this.#statements = total;
      this.#catalog.apply(change);
      for (const difference of differences) this.#hold(difference);
      await this.#date(revision);
    });
    if (intent) await this.#carryOut(intent, differences[0]?.origin.source ?? LOCAL);
    return count;
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

  /** The document says now what the difference says. */
  #hold({ document, origin, gone, come }: DocumentDifference): void {
    document.origin = origin;
    if (gone.length > 0) {
      const left = new Set(gone);
      document.entries = document.entries.filter((entry) => !left.has(entry));
    }
    for (const { entry } of come) document.entries.push(entry);
    this.#sources.hold(document);
  }

  /** It has been decided and is on disk: should it fail now, it is done before the next change, or at the next start. */
  async #carryOut(intent: Intent, source: Source): Promise<void> {
    this.#unfinished.set(sourceKey(source), intent);
    await intent.carryOut().then(
      () => this.#unfinished.delete(sourceKey(source)),
      () => undefined,
    );
  }

  #next(revision: Revision): Revision {
    return nextRevision(revision, this.#options.clock.now());
  }

  /** One change of a source after another, each on what the one before has left on disk. */
  #exclusive<T>(source: Source, task: () => Promise<T>): Promise<T> {
    const key = sourceKey(source);
    return this.#mutex.run(key, async () => {
      await this.#unfinished.get(key)?.carryOut();
      this.#unfinished.delete(key);
      return task();
    });
  }
}

function graphReplacements({ document, origin, replacements }: DocumentDifference): GraphReplacements {
  return { graph: graphName(origin.source, origin.document), number: document.number, replacements };
}

function added(one: ChangeCount, other: ChangeCount): ChangeCount {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    removed: one.removed + other.removed,
  };
}
