import { outlived } from '../core/feed-window.js';
import { feedDigest } from '../core/source-digests.js';
import { HeadUnknown } from '../keep/faults.js';
import type { Head, Lease, Row, Since } from '../keep/keep.js';
import { explain, OutcomeUnknown, StorageFailure, StoreUnavailable } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { MOST_AT_ONCE } from './difference.js';
import { Draft, type RegistryParts } from './draft.js';
import type { Held } from './held.js';
import { contentsOf } from './row-contents.js';
import { statementRowKey } from './row-keys.js';
import { type Meta, metaRow, type RevisionRow, rowOf, type SourceRow, stateRow } from './rows.js';

/** Ms until it is looked again what others have written, and where that could not be read. */
const LOOKS = 250;
const AGAIN = 5_000;
/** What a database or disk says that may do better in a moment. */
const PASSING = [StoreUnavailable, StorageFailure, OutcomeUnknown];

/** What every change of a registry is made with. */
export interface WritingParts extends RegistryParts {
  readonly writer: Writer;
}

/** Works out a commit from what is stored; nothing is written when the draft stays empty. */
export type Prepare = (draft: Draft) => Promise<void> | void;

/** Hands one commit after the other to the keep, and takes in what has been committed, by this node and by others. */
export class Writer {
  readonly #parts: RegistryParts;
  readonly #reload: () => Promise<void>;
  readonly #turns = new KeyedMutex();
  #catchingUp: Promise<unknown> | undefined;
  readonly #listeners = new Set<(source: SourceRow) => void>();

  /** @param reload reads everything again: the keep has another history than what was loaded, or all is to be shown otherwise */
  constructor(parts: RegistryParts, reload: () => Promise<void>) {
    this.#parts = parts;
    this.#reload = async () => {
      await reload();
      this.#tell(parts.data.now.held.all());
    };
  }

  /**
   * Writes what `prepare` works out, and shows it. That is called when nothing else is written, and again, under the lock of the keep,
   * when others have written meanwhile.
   * @returns what was held right behind this commit @throws LeaseLost; StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  write(prepare: Prepare, lease?: Lease): Promise<Held> {
    return this.idle(async () => {
      const { keep, data, clock, log } = this.#parts;
      // What others have written is read before anybody has to wait for that. What cannot be read now is read under the lock.
      if (!keep.trouble) await this.#takeIn().catch(() => undefined);
      const before = data.now.meta;
      await this.#write(prepare, lease);
      const { held, meta } = data.now;
      const shown = clock.now();
      for (const moved of ['revision', 'networkRevision'] as const) {
        if (meta[moved].number === before[moved].number) continue;
        await this.#write((draft) => this.#date(moved, draft, shown)).catch((error) =>
          log.warn({ error: explain(error) }, 'the date of a change could not be stored'),
        );
      }
      return held;
    });
  }

  /** Runs a task while nothing is written. */
  idle<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns.run('commit', task);
  }

  /** Takes in what others have committed up to now: once for all who ask before that is begun. */
  catchUp(): Promise<unknown> {
    this.#catchingUp ??= this.idle(() => {
      this.#catchingUp = undefined;
      return this.#takeIn();
    });
    return this.#catchingUp;
  }

  /** Takes in what others commit, until the signal is aborted. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    while (!signal.aborted) {
      let wait = LOOKS;
      await this.catchUp().catch((error) => {
        // The trouble of the keep tells of it.
        if (signal.aborted || PASSING.some((kind) => error instanceof kind)) return;
        wait = AGAIN;
        const said = 'what other nodes have written could not be read; it is tried again';
        log.warn({ error: explain(error) }, said);
      });
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /**
   * Calls `listener` with each source of which others have committed something, and with all of them where everything was read
   * anew, until the function is called that is returned.
   */
  watch(listener: (source: SourceRow) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(sources: Iterable<SourceRow>): void {
    for (const source of sources) for (const listener of this.#listeners) listener(source);
  }

  async #takeIn(): Promise<void> {
    const { keep, data } = this.#parts;
    try {
      const { rows, head } = await keep.tail(data.now.head);
      await this.#take(rows, head);
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      // A commit notices that others are lost, which begins another epoch.
      await this.#write();
    }
  }

  /** Takes in what others have committed; nothing where it is known already. @throws HeadUnknown when everything has to be read anew */
  async #take(rows: readonly Row[], head: Head): Promise<void> {
    const { data, pace } = this.#parts;
    if (head.epoch === data.now.head.epoch && head.version <= data.now.head.version) return;
    const contents = await contentsOf(rows, pace());
    // Statements went whose removals are forgotten already: what readers must be told of them is no longer
    // known, so everything is loaded anew.
    if (contents.isIncomplete) throw new HeadUnknown();
    const { serving } = contents.single;
    if (serving && !data.isShownAs(serving)) throw new HeadUnknown();
    await data.absorb(contents, head);
    this.#tell([...contents.sources.values()].flatMap(({ row }) => row ?? []));
  }

  /**
   * When others have written since it was worked out, that is taken in, and it is worked out again.
   * @param prepare absent where it is only to be noticed whether commits are lost
   */
  async #write(prepare?: Prepare, lease?: Lease): Promise<void> {
    const { keep, data } = this.#parts;
    let latest = await this.#prepared(prepare);
    if (prepare && !latest) return;
    const since = data.now.head;
    let hasTakenIn = false;
    const decide = async ({ head, rows }: Since) => {
      // Called again after a lost connection: another server may answer now, which lacks the rows that were taken in. Only a commit that
      // begins with them finds that out.
      hasTakenIn = data.now.head !== since;
      if (hasTakenIn) return undefined;
      if (rows.length > 0) {
        await this.#take(rows, head);
        latest = await this.#prepared(prepare);
      }
      return latest?.writes;
    };
    try {
      const head = await keep.commit(since, decide, lease);
      if (hasTakenIn) return this.#write(prepare, lease);
      if (!latest) return;
      const { serving } = latest.contents.single;
      if (serving && !data.isShownAs(serving)) await this.#reload();
      else await data.absorb(latest.contents, head, latest.held);
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      await this.#reload();
      await this.#write(prepare, lease);
    }
  }

  /**
   * What is written, with where the registry stands afterwards; what its rows say; and what is held once it is written. Undefined
   * when there is nothing to be written.
   */
  async #prepared(prepare?: Prepare) {
    const { data, pace } = this.#parts;
    const draft = new Draft(this.#parts);
    await prepare?.(draft);
    if (draft.isEmpty) return undefined;
    const { rows, writes } = draft;
    const meta = draft.positions === undefined ? undefined : this.#metaAfter(draft);
    if (meta) rows.push(metaRow('registry', meta));
    const breathe = pace();
    const contents = await contentsOf(rows, breathe);
    const held = await data.now.held.with(contents.sources, breathe);
    if (!meta || meta.position === data.now.meta.position) return { writes, contents, held };
    const digest = feedDigest(held.summaries(), meta.networkRevision.number);
    const state = data.now.states.with({ position: meta.position, digest });
    rows.push(stateRow(...state));
    return { writes, contents: { ...contents, states: new Map([state]) }, held };
  }

  /** Where the registry stands behind a commit. The oldest removals are forgotten with it, when it is time. */
  #metaAfter({ rows, positions = 0, at, moves }: Draft): Meta {
    const { data, clock } = this.#parts;
    const { meta, held } = data.now;
    const now = clock.now();
    const { remembered } = data.catalog;
    const sizes = { count: remembered.size, statements: held.statements };
    const forgotten = outlived(remembered.values(), { ...sizes, now }).slice(0, MOST_AT_ONCE);
    for (const removal of forgotten) rows.push(rowOf('removal', statementRowKey(removal), undefined));
    return {
      ...{ ...meta, [moves]: next(meta[moves], now, moves === 'networkRevision' ? now : 0) },
      position: meta.position + positions,
      at: positions > 0 ? Math.max(now, at) : meta.at,
      purged: forgotten.at(-1)?.position ?? meta.purged,
    };
  }

  /**
   * Readers saw a change only after it was written: where that took it into another second, its date is moved on, because a client
   * that was told the old state meanwhile would take that date for the date of the new one. It is tried again with the next change.
   */
  #date(moved: Draft['moves'], { rows }: Draft, shown: number): void {
    const { meta } = this.#parts.data.now;
    const secondOf = (ms: number) => Math.floor(ms / 1000);
    if (secondOf(shown) > secondOf(meta[moved].since))
      rows.push(metaRow('registry', { ...meta, [moved]: { ...meta[moved], since: shown } }));
  }
}

/**
 * @param least of the number. That of the lists is a time, because followers tell lists apart by nothing else: unless its clock
 * is behind, a node that was put back to a backup never gives a number for the second time
 */
function next({ number, since }: RevisionRow, now: number, least: number): RevisionRow {
  return { number: Math.max(number + 1, least), since: Math.max(now, since) };
}
