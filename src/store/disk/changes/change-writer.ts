import type { Source } from '../../../component/source.js';
import type { NetworkLists } from '../../../core/network-lists.js';
import type { HashChange } from '../../../core/source-digests.js';
import { explain } from '../../../lib/faults.js';
import { KeyedMutex } from '../../../lib/keyed-mutex.js';
import { type ChangeCount, sumOfCounts } from '../../../registry/change.js';
import type { Feed } from '../../../registry/feed.js';
import { nextRevision, type Revision } from '../../../registry/revision.js';
import type { DocumentChange } from '../../../registry/source-change.js';
import type { State } from '../../../registry/state.js';
import type { LoadOptions } from '../../registry-store.js';
import type { CatalogIndex } from '../catalog/catalog-index.js';
import type { PreparedChange, QuadStore, Row } from '../database/quad-store.js';
import { statementsRow } from '../database/statements-note.js';
import { TABLES } from '../database/tables.js';
import { addTo, type DiskDocument, removeFrom, type Sources } from '../disk-source.js';
import type { Entry } from '../listing/entry.js';
import type { SharedTexts } from '../listing/shared-texts.js';
import type { PinTable } from '../pin-table.js';
import type { ChangeLog } from './change-log.js';
import { type DocumentDifference, documentDifference, withPresentPins } from './difference.js';
import {
  type GraphReplacements,
  graphReplacements,
  quadChange,
  statementRows,
} from './graph-replacements.js';
import { purge } from './purge.js';
import { type Intent, isLarge, type RedoLog } from './redo-log.js';

/** What readers see; replaced as a whole by each change. */
export interface Published {
  readonly state: State;
  readonly network: NetworkLists;
}

export interface ChangeWriterParts {
  readonly store: QuadStore;
  readonly options: LoadOptions;
  readonly sources: Sources;
  readonly index: CatalogIndex;
  readonly catalog: { published: Published };
  readonly redoLog: RedoLog;
  readonly log: ChangeLog;
  readonly versions: SharedTexts;
  /** How many descriptions there are, shadowed ones included. */
  readonly statements: number;
  readonly pins: PinTable;
}

/** What is to be written of one source. */
export interface Writing {
  readonly source: Source;
  readonly differences: readonly DocumentDifference[];
  readonly rows: readonly Row[];
  readonly hashes: HashChange;
  /** See `SourceChange`. */
  readonly expected?: ReadonlyMap<string, string> | undefined;
}

/** A change on its way to disk. */
interface Deciding extends Pick<Writing, 'source' | 'differences' | 'hashes'> {
  readonly graphs: readonly GraphReplacements[];
  /** Of a large one. */
  readonly intent: Intent | undefined;
  /** Is it on disk? */
  isDecided: boolean;
}

/** Writes changes to disk and shows them to readers, in one order for both. */
export class ChangeWriter {
  readonly #parts: ChangeWriterParts;
  readonly #mutex = new KeyedMutex();
  #statements: number;

  constructor(parts: ChangeWriterParts) {
    this.#parts = parts;
    this.#statements = parts.statements;
  }

  /** The hashes of a source, for what a change does to them. */
  hashChange = (source: Source) => this.#parts.log.hashChange(source);

  /** What has to happen to a document of a source with these hashes. @throws TypeError, see `documentSteps` */
  difference(
    document: DiskDocument,
    change: DocumentChange,
    hashes: HashChange,
  ): Promise<DocumentDifference> {
    const { options, versions, index, pins, sources } = this.#parts;
    const origin = sources.originOf(document, change.record ?? document.record);
    const statements = (uri: string) => index.statements(uri);
    return documentDifference(change, {
      ...options,
      document,
      origin,
      hashes,
      statements,
      pins,
      versions,
    });
  }

  /**
   * Writes the differences of one source atomically, and shows them once that is decided:
   * 1. (large ones only) notes in the redo log what is to happen to the quads, part by part;
   * 2. prepares, in slices, one batch: quads (or the decision to do what was noted), rows, bookkeeping;
   * 3. alone, because revisions have an order: prepares the catalog in slices, writes the batch (this decides
   *    it), then shows the new catalog and the new revision in one step;
   * 4. (large ones only) does to the quads what was noted. A crash before 3 changes nothing; after it,
   *    step 4 is done at the next start.
   */
  async write({ source, differences, rows, hashes, expected }: Writing): Promise<ChangeCount> {
    const { store, options, redoLog } = this.#parts;
    hashes.verify(expected);
    const isReal = hashes.changed.size > 0 || differences.some(({ changes }) => changes.length > 0);
    const graphs = graphReplacements(differences);
    const intent = isLarge(graphs) ? await redoLog.note(graphs) : undefined;
    let prepared: PreparedChange | undefined;
    const change = { source, differences, hashes, graphs, intent, isDecided: false };
    try {
      const { remove, add } = await quadChange(intent ? [] : graphs, options);
      const numbers = graphs.map(({ graph, number }) => TABLES.graph(graph, number));
      // The rows of a document that goes come last: its number goes with it.
      const batch = await store.prepare({ remove, add, rows: [...numbers, ...rows], durable: isReal });
      prepared = batch;
      await this.#mutex.run('commit', () => (isReal ? this.#commit(batch, change) : batch.write()));
    } catch (error) {
      if (!change.isDecided) {
        await prepared?.discard();
        await intent?.discard();
      }
      throw error;
    }
    if (intent) await redoLog.carryOut(intent, source);
    return sumOfCounts(differences.map(({ count }) => count));
  }

  /** Decides a change, and shows it. */
  async #commit(prepared: PreparedChange, deciding: Deciding): Promise<void> {
    const { options, log, pins, index } = this.#parts;
    const { source, hashes, graphs, intent } = deciding;
    const differences = withPresentPins(deciding.differences, pins);
    const changed = { now: options.clock.now(), source, differences, hashes };
    const step = await log.step(changed, options.pace());
    const change = await index.prepare(
      step.changes.flatMap(({ gone }) => gone ?? []),
      step.changes.flatMap(({ after, entry }) => (after && entry ? { metadata: after, entry } : [])),
      options.pace(),
    );
    const revision = this.#next(this.#published.state.revision);
    const { added, removed } = sumOfCounts(differences.map(({ count }) => count));
    const total = this.#statements + added - removed;
    await prepared.write([
      ...(intent
        ? [intent.decide(step.decision)]
        : graphs.flatMap((graph) => statementRows(graph, step.decision))),
      ...step.rows,
      ...[TABLES.meta('revision', revision), statementsRow(total)],
    ]);
    deciding.isDecided = true;
    this.#statements = total;
    log.apply(step);
    index.apply(change);
    for (const difference of differences) this.#hold(difference);
    this.#publishRevision(revision);
    await this.#date(revision);
    await this.#purge();
  }

  /**
   * Shows entries in the place of those that they are copies of, but for their pins; nothing gets a position. Between
   * finding them and this, nothing else may change their sources.
   */
  async replace(pairs: readonly { readonly old: Entry; readonly entry: Entry }[]): Promise<void> {
    await this.#mutex.run('commit', async () => {
      const { store, options, index, sources, log } = this.#parts;
      const gone = pairs.map(({ old }) => old);
      const come = pairs.map(({ entry }) => ({ entry, metadata: entry.metadata }));
      const change = await index.prepare(gone, come, options.pace());
      const revision = this.#next(this.#published.state.revision);
      await store.write({ rows: [TABLES.meta('revision', revision)], durable: false });
      for (const { entry } of pairs) log.entries.replace(entry);
      index.apply(change);
      sources.replace(pairs);
      this.#publishRevision(revision);
      await this.#date(revision);
    });
  }

  /** Writes rows that belong to no source: decided while nothing else is written, and shown in the turn in which they are on disk. */
  async writeRows(
    decide: () => { readonly rows: readonly Row[]; readonly moves: boolean },
    show: () => void,
  ): Promise<void> {
    await this.#mutex.run('commit', async () => {
      const { rows, moves } = decide();
      if (rows.length === 0) return;
      const revision = moves ? this.#next(this.#published.state.revision) : undefined;
      const moved = revision ? [TABLES.meta('revision', revision)] : [];
      await this.#parts.store.write({ rows: [...rows, ...moved], durable: true });
      show();
      if (!revision) return;
      this.#publishRevision(revision);
      await this.#date(revision);
    });
  }

  /** To be called before the next change of a source. */
  finish = (source: Source) => this.#parts.redoLog.finish(source);

  /** Sets the network lists; their revision moves if they differ from the ones before. */
  async setNetwork(lists: NetworkLists): Promise<void> {
    if (JSON.stringify(lists) === JSON.stringify(this.#published.network)) return;
    await this.#mutex.run('commit', async () => {
      const { store, options, log } = this.#parts;
      const revision = this.#next(this.#published.state.networkRevision);
      const changed = { now: options.clock.now(), networkRevision: revision.number };
      const step = await log.step(changed, options.pace());
      const rows = [TABLES.meta('network', { revision, lists }), ...step.rows];
      await store.write({ rows, durable: true });
      log.apply(step);
      const { state } = this.#published;
      this.#publish({ state: { ...state, networkRevision: revision, feed: log.feed }, network: lists });
    });
  }

  /** Runs a task when nothing is being written. */
  idle<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.run('commit', task);
  }

  /**
   * Readers saw the change only after it was written. Where that took it into another second, its date is
   * moved on: a client that was told the old state meanwhile would take that date for the date of the new one.
   * The change has happened: a date that cannot be written is written with the next change.
   */
  async #date(revision: Revision): Promise<void> {
    const { store, options } = this.#parts;
    const since = options.clock.now();
    if (Math.floor(since / 1000) <= Math.floor(revision.since / 1000)) return;
    this.#publishRevision({ ...revision, since });
    const rows = [TABLES.meta('revision', this.#published.state.revision)];
    await store.write({ rows, durable: false }).catch((error: unknown) => {
      options.log.warn({ error: explain(error) }, 'the date of a change could not be stored');
    });
  }

  /** Forgets the oldest removals and states, when it is time. It is tried again after the next change. */
  async #purge(): Promise<void> {
    const { store, log, options } = this.#parts;
    const show = (feed: Feed) => {
      const { state, network } = this.#published;
      this.#publish({ state: { ...state, feed }, network });
    };
    try {
      await purge({ store, log, statements: this.#statements, now: options.clock.now(), show });
    } catch (error) {
      options.log.warn({ error: explain(error) }, 'old removals could not be deleted from the feed');
    }
  }

  #publishRevision(revision: Revision): void {
    const { state, network } = this.#published;
    const { index, log } = this.#parts;
    this.#publish({ state: { ...state, revision, components: index.size, feed: log.feed }, network });
  }

  get #published(): Published {
    return this.#parts.catalog.published;
  }

  #publish(published: Published): void {
    this.#parts.catalog.published = published;
  }

  /** The document says now what the difference says. */
  #hold({ document, origin, changes }: DocumentDifference): void {
    document.origin = origin;
    for (const { gone, entry } of changes) {
      if (gone) removeFrom(document, gone);
      if (entry) addTo(document, entry);
    }
    this.#parts.sources.hold(document);
  }

  #next(revision: Revision): Revision {
    return nextRevision(revision, this.#parts.options.clock.now());
  }
}
