import type { Catalog } from '../../catalog/catalog.js';
import { sizeOf } from '../../component/component-size.js';
import { type Source, sameSource } from '../../component/source.js';
import type { Amendment } from '../../core/document-change.js';
import type { Loss } from '../../core/shrink-guard.js';
import { DigestMismatch } from '../../core/source-digests.js';
import type { StoredSource } from '../../core/source-record.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { type ChangeCount, NO_CHANGE, sumOfCounts } from '../../registry/change.js';
import type { Registry } from '../../registry/registry.js';
import type { DocumentChange, SourceChange } from '../../registry/source-change.js';
import type { Amount, Objection, PollResult } from '../sync-source.js';
import { describedBy, growthOf, NOTHING, type Replaced, sum } from './cut-to-room.js';
import { type PendingRemovals, type Removals, removalsIn, withoutPending } from './removals.js';
import type { StorageQuota, Stored } from './storage-quota.js';

export interface PollWriterParts {
  readonly source: Source;
  /** What is stored is looked up there. */
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly pace: Pace;
  readonly registry: Pick<Registry, 'commit'>;
  readonly quota: StorageQuota;
  /** When the poll began. */
  readonly stored: StoredSource | undefined;
}

type Findings = Pick<PollResult, 'documents' | 'expected' | 'dropped'>;

/** How the end of a poll is stored. */
export interface Finish {
  readonly record: SourceChange['record'];
  /** Is what has no room left out? Then there is nothing to compare digests with. */
  readonly asFarAsPossible: boolean;
  /** Removals that are not stored. */
  readonly pending?: PendingRemovals | undefined;
}

/** Stores what one poll finds, within the quota. Documents that lose components are kept back until its end. */
export class PollWriter {
  readonly #parts: PollWriterParts;
  readonly #documents: Stored['documents'];
  readonly #keptBack: DocumentChange[] = [];
  /** What amendments replace; one result of a poll is asked about several times. */
  readonly #amounts = new WeakMap<Amendment, Amount>();
  /** How many more components there are, as the source says, by what was stored before the end of the poll. */
  #growth = 0;
  #counts = NO_CHANGE;
  #refused = 0;
  #unusable = 0;
  #changed = false;

  constructor(parts: PollWriterParts) {
    this.#parts = parts;
    this.#documents = parts.stored?.documents ?? new Map();
  }

  /** What was really changed. */
  get counts(): ChangeCount {
    return this.#counts;
  }

  /** Documents that there was no room for. */
  get refused(): number {
    return this.#refused;
  }

  /** Descriptions and documents that cannot be used, as far as that is news. */
  get unusable(): number {
    return this.#unusable;
  }

  /** Has anything been handed to the registry that moves the quota? */
  get changed(): boolean {
    return this.#changed;
  }

  /**
   * Stores a portion while the poll goes on; but not what loses components, or may: only the end of the poll shows whether
   * the source has lost so much that this is pending. What is kept back takes less memory than what is stored of it.
   */
  async store(documents: readonly DocumentChange[]): Promise<void> {
    const replaced = await this.#replaced(documents);
    const growing: DocumentChange[] = [];
    for (const change of documents) {
      const growth = this.#growthOf(change, replaced);
      const mayLose = growth < 0 || (this.#holdsRemovals && this.#documents.has(change.url));
      (mayLose ? this.#keptBack : growing).push(change);
      this.#growth += mayLose ? 0 : growth;
    }
    await this.#commit(growing, replaced, { record: (record) => record });
  }

  /** What all findings of the poll do to the number of components. What the node itself drops is not lost by the source. */
  async loss({ documents, dropped = new Set() }: Findings): Promise<Loss> {
    const changes = this.#all(documents).filter(({ url }) => !dropped.has(url));
    const replaced = await this.#replaced(changes);
    let from = 0;
    for (const [url, document] of this.#documents) if (!dropped.has(url)) from += describedBy(document);
    const growth = changes.reduce((all, change) => all + this.#growthOf(change, replaced), this.#growth);
    return { from, to: from + growth };
  }

  /** The statements that all findings of the poll take back. */
  removals({ documents, dropped }: Findings): Promise<Removals> {
    const changes = this.#all(documents).filter(({ url }) => !dropped?.has(url));
    return removalsIn(changes, this.#documents, this.#parts);
  }

  /**
   * Stores what is left to store, and what is remembered of the source. When it objects, it has stored nothing.
   */
  async finish(
    { documents, expected = new Map() }: Findings,
    { record, asFarAsPossible, pending }: Finish,
  ): Promise<Objection | undefined> {
    const found = this.#all(documents);
    const all = pending ? withoutPending(found, this.#documents, pending) : found;
    // A peer's source of which removals are pending is not what its digest tells.
    const unlike = new Set(all === found ? [] : this.#sourcesOf(found, new Set(all)));
    const verified = new Map([...expected].filter(([of]) => !unlike.has(of)));
    const replaced = await this.#replaced(all);
    const objection = await this.#commit(all, replaced, { record, expected: verified }, asFarAsPossible);
    if (!objection) this.#keptBack.length = 0;
    return objection;
  }

  /** Stores what is remembered of the source, and nothing else. */
  async remember(record: SourceChange['record']): Promise<void> {
    await this.#parts.registry.commit({ source: this.#parts.source, documents: [], record });
  }

  /** The peer's sources (`DocumentRecord.of`) of documents whose change is not stored as it was found. */
  #sourcesOf(found: readonly DocumentChange[], stored: ReadonlySet<DocumentChange>): string[] {
    const others = found.filter((change) => !stored.has(change));
    return others.flatMap(({ url, record }) => [this.#documents.get(url)?.of ?? [], record?.of ?? []].flat());
  }

  /** Are there removals of the source that were not believed so far? */
  get #holdsRemovals(): boolean {
    return this.#parts.stored?.record.shrink !== undefined;
  }

  #all(documents: readonly DocumentChange[]): readonly DocumentChange[] {
    return this.#keptBack.length === 0 ? documents : [...this.#keptBack, ...documents];
  }

  #growthOf(change: DocumentChange, replaced: Replaced): number {
    return growthOf(change, this.#documents.get(change.url), replaced);
  }

  /** What amended documents say now of the components that are amended. Gives way to other work. */
  async #replaced(changes: readonly DocumentChange[]): Promise<Replaced> {
    const breathe = this.#parts.pace();
    const replaced = new Map<string, Amount>();
    for (const { url, amend } of changes) {
      if (amend) replaced.set(url, await this.#amountIn(url, amend, breathe));
    }
    return replaced;
  }

  async #amountIn(document: string, amend: Amendment, breathe: Breather): Promise<Amount> {
    const counted = this.#amounts.get(amend);
    if (counted) return counted;
    const { catalog, source } = this.#parts;
    const { put = [], remove = [] } = amend;
    let amount = NOTHING;
    for (const uri of new Set([...put.map((one) => one.uri), ...remove])) {
      const statements = await catalog.statements(uri);
      const stored = statements.find((one) => one.document === document && sameSource(one.source, source));
      if (stored) amount = sum(amount, { components: 1, bytes: sizeOf(stored.metadata) });
      await breathe();
    }
    this.#amounts.set(amend, amount);
    return amount;
  }

  async #commit(
    documents: readonly DocumentChange[],
    replaced: Replaced,
    { record, expected }: Pick<SourceChange, 'record' | 'expected'>,
    asFarAsPossible = true,
  ): Promise<Objection | undefined> {
    const { source, registry, quota, pace } = this.#parts;
    const stored = { documents: this.#documents, replaced };
    const admitted = await quota.admit(source, documents, stored, pace());
    const isCut = admitted.refused + admitted.omitted > 0;
    if (isCut && !asFarAsPossible) {
      admitted.undo();
      return { reason: 'room' };
    }
    const change = { source, documents: admitted.documents, record };
    this.#changed ||= admitted.documents.length > 0;
    try {
      const counts = await registry.commit({ ...change, expected: isCut ? undefined : expected });
      this.#counts = sumOfCounts([this.#counts, counts]);
    } catch (error) {
      admitted.undo();
      if (error instanceof DigestMismatch) return { reason: 'digest', differing: error.differing };
      throw error;
    }
    this.#refused += admitted.refused;
    this.#unusable += newlyRefused(this.#parts.stored?.documents, admitted.documents);
    return undefined;
  }
}

/**
 * How many descriptions and documents a poll has found that cannot be used, and that were not known to be so: a document
 * that stays broken is counted once.
 */
export function newlyRefused(
  stored: StoredSource['documents'] | undefined,
  changes: readonly DocumentChange[],
): number {
  return changes.reduce((sum, { url, record }) => {
    if (record === null) return sum;
    const before = stored?.get(url);
    const invalid = record.invalid ?? [];
    const isNews = invalid.length > 0 && JSON.stringify(invalid) !== JSON.stringify(before?.invalid);
    const isUnreadable = record.unreadable !== undefined && record.unreadable !== before?.unreadable;
    return sum + (isNews ? invalid.length : 0) + (isUnreadable ? 1 : 0);
  }, 0);
}
