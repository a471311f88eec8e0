import { feedDigest } from '../core/source-digests.js';
import { HeadUnknown } from '../keep/faults.js';
import type { Head, Lease, Row, Since, Writes } from '../keep/keep.js';
import { explain } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { type CommitContents, type Meta, NO_CONTENTS, type RevisionRow } from './commit-contents.js';
import { MOST_AT_ONCE } from './difference.js';
import type { PreparedCommit, RegistryParts } from './prepared-commit.js';
import { showsTheSame } from './presentation.js';
import { decoded, otherRows, removalKeys } from './rows.js';

/** Ms until it is tried again to read what others have written. */
const AGAIN = 5_000;

export interface WriterParts extends RegistryParts {
  /** Reads everything again: the keep has another history than the one that was loaded, or all of it is to be shown otherwise. */
  readonly reload: () => Promise<void>;
}

/** Works out a commit from what is stored; nothing is to be written when it is undefined. */
export type Prepare = () => Promise<PreparedCommit | undefined>;

/** Hands one commit after the other to the keep, and takes in what has been committed, by this node and by others. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #turns = new KeyedMutex();
  #catchingUp: Promise<unknown> | undefined;
  readonly #listeners = new Set<(contents: CommitContents) => void>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Writes what `prepare` works out, and shows it. It is called when nothing else is written, and again, while nobody else can
   * write, when others have written meanwhile. @throws LeaseLost; StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  write(prepare: Prepare, lease?: Lease): Promise<void> {
    return this.idle(async () => {
      const prepared = await prepare();
      const written = prepared && (await this.#commit(prepare, prepared, lease));
      if (written?.positions !== undefined) await this.#settle(written.contents.network === undefined);
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
      return this.#commit(async () => undefined);
    });
    return this.#catchingUp;
  }

  /** Takes in what others commit, until the signal is aborted. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, reload, log } = this.#parts;
    while (!signal.aborted) {
      try {
        await this.#followTail(signal).catch((error) => {
          if (signal.aborted || !(error instanceof HeadUnknown)) throw error;
          return this.idle(reload);
        });
      } catch (error) {
        if (signal.aborted) return;
        log.warn(
          { error: explain(error) },
          'what other nodes have written could not be read; it is tried again',
        );
        await clock.sleep(AGAIN, signal).catch(() => undefined);
      }
    }
  }

  /** Calls `listener` with what others have committed. The function that is returned ends it. */
  watch(listener: (contents: CommitContents) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Until this node commits something itself: a tail would bring those rows, too. */
  async #followTail(signal: AbortSignal): Promise<void> {
    const { keep, data } = this.#parts;
    let known = data.now.head;
    let rows: Row[] = [];
    for await (const { rows: some, head } of keep.tail(known, signal)) {
      rows.push(...some);
      if (!head) continue;
      const isStale = await this.idle(async () => {
        if (data.now.head.mark !== known.mark) return true;
        await this.#take(rows, head);
        return false;
      });
      if (isStale) return;
      known = head;
      rows = [];
    }
  }

  /** Takes in what others have committed; nothing where it is known already. @throws HeadUnknown when all of it is shown otherwise */
  async #take(rows: readonly Row[], head: Head): Promise<void> {
    const { data, pace, log } = this.#parts;
    if (head.epoch === data.now.head.epoch && head.version <= data.now.head.version) return;
    const contents = await decoded(rows, pace());
    if (contents.serving && !showsTheSame(contents.serving, data.now.serving)) {
      const { baseUrl, order } = contents.serving;
      log.warn(
        { baseUrl, ...order },
        'a node with another configuration was started; this one shows the same now',
      );
      throw new HeadUnknown();
    }
    await data.absorb(contents, head);
    for (const listener of this.#listeners) listener(contents);
  }

  /**
   * @param prepared what `prepare` has worked out; when others have written since, that is taken in, and it is worked out again
   * @returns what was written, `undefined` when nothing was to be
   */
  async #commit(
    prepare: Prepare,
    prepared?: PreparedCommit,
    lease?: Lease,
  ): Promise<PreparedCommit | undefined> {
    const { keep, data, reload } = this.#parts;
    let latest = prepared && this.#whole(prepared);
    const decide = async ({ head, rows }: Since) => {
      if (rows.length > 0) {
        await this.#take(rows, head);
        const again = await prepare();
        latest = again && this.#whole(again);
      }
      return latest && writesOf(latest);
    };
    try {
      const head = await keep.commit(data.now.head, decide, lease);
      if (!latest) return undefined;
      const { serving } = latest.contents;
      if (serving && !showsTheSame(serving, data.now.serving)) await reload();
      else await data.absorb(latest.contents, head);
      return latest;
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      await reload();
      return this.#commit(prepare, await prepare(), lease);
    }
  }

  /** With where the registry stands afterwards. */
  #whole(prepared: PreparedCommit): PreparedCommit {
    const { positions, contents } = prepared;
    if (positions === undefined) return prepared;
    const { data, clock } = this.#parts;
    const { meta, held, blocks } = data.now;
    const now = clock.now();
    const times = [contents.statements, contents.removals].map(([first]) => first?.at ?? 0);
    const moved: Meta = {
      ...meta,
      ...(contents.network
        ? { networkRevision: next(meta.networkRevision, now) }
        : { revision: next(meta.revision, now) }),
      position: meta.position + positions,
      at: positions > 0 ? Math.max(now, meta.at, ...times) : meta.at,
    };
    const { position, networkRevision } = moved;
    const digest = feedDigest(held.summariesAfter(contents), networkRevision.number);
    const states = positions > 0 ? blocks.with({ position, digest }) : NO_CONTENTS.states;
    return { ...prepared, contents: { ...contents, meta: moved, states } };
  }

  /** What follows a change that readers were shown. It is tried again with the next change. */
  async #settle(isDated: boolean): Promise<void> {
    const { log } = this.#parts;
    const prepare = async () => {
      const contents = await this.#settled(isDated);
      return contents && { contents, rows: [] };
    };
    try {
      const prepared = await prepare();
      if (prepared) await this.#commit(prepare, prepared);
    } catch (error) {
      log.warn({ error: explain(error) }, 'the date of a change, or what is forgotten, could not be stored');
    }
  }

  /**
   * The oldest removals and states go, when it is time. And readers saw the change only after it was written: where that took it
   * into another second, its date is moved on, because a client that was told the old state meanwhile would take that date for the
   * date of the new one.
   */
  async #settled(isDated: boolean): Promise<CommitContents | undefined> {
    const { data, clock, pace } = this.#parts;
    const { catalog } = data;
    const { meta, blocks } = data.now;
    const now = clock.now();
    const removals = (await catalog.outlivedRemovals(now)).slice(0, MOST_AT_ONCE);
    const { blocks: oldest, kept } = blocks.surplus;
    const isLate = isDated && Math.floor(now / 1000) > Math.floor(meta.revision.since / 1000);
    if (!isLate && removals.length + oldest.length === 0) return undefined;
    const purged = Math.max(removals.at(-1)?.position ?? 0, meta.purged);
    const floor = Math.max(purged, meta.floor, oldest.length > 0 ? catalog.firstStateOf(kept) : 0);
    const revision = isLate ? { ...meta.revision, since: now } : meta.revision;
    return {
      ...NO_CONTENTS,
      meta: { ...meta, revision, purged, floor },
      gone: await removalKeys(removals, pace()),
      states: new Map(oldest.map((block) => [block, undefined])),
    };
  }
}

function writesOf({ contents, rows, quads }: PreparedCommit): Writes {
  return { rows: [...rows, ...otherRows(contents)], ...(quads ? { quads } : {}) };
}

function next({ number, since }: RevisionRow, now: number): RevisionRow {
  return { number: number + 1, since: Math.max(now, since) };
}
