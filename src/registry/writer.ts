import { feedDigest } from '../core/source-digests.js';
import { HeadUnknown } from '../keep/faults.js';
import type { Head, Keep, Lease, Row, Since, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import {
  type CommitContents,
  type Meta,
  NO_CONTENTS,
  type RevisionRow,
  type Serving,
} from './commit-contents.js';
import { MOST_AT_ONCE } from './difference.js';
import type { PreparedCommit, StateChange } from './prepared-commit.js';
import type { RegistryData } from './registry-data.js';
import { decoded, otherRows, removalKeys } from './rows.js';

/** Ms until it is tried again to read what others have written. */
const AGAIN = 5_000;
/** Tries before a change is worked out while nobody else can write: other nodes may be faster each time. */
const TRIES = 3;

export interface WriterParts {
  readonly keep: Keep;
  readonly data: RegistryData;
  /** Reads everything again, where everything is to be shown otherwise. */
  readonly reload: () => Promise<void>;
  /** The same where the keep has another history than the one that was loaded. */
  readonly reloadOther: () => Promise<void>;
  /** Is everything shown as this says? */
  readonly isShown: (serving: Serving) => boolean;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** Works out a commit from what is stored; nothing is to be written when it is undefined. */
export type Prepare = () => Promise<PreparedCommit | undefined>;

/** Hands one commit after the other to the keep, and takes in what has been committed, by this node and by others. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #turns = new KeyedMutex();
  #first: Prepare | undefined;
  #catchingUp: Promise<unknown> | undefined;
  readonly #listeners = new Set<(contents: CommitContents) => void>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Writes what `prepare` works out, and shows it. It is called when nothing else is written, and again when others have written
   * meanwhile. @throws LeaseLost; StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  write(prepare: Prepare, lease?: Lease): Promise<void> {
    return this.idle(async () => {
      const first = this.#first;
      if (first) await this.#writeInTurn(first);
      if (this.#first === first) this.#first = undefined;
      await this.#writeInTurn(prepare, lease);
    });
  }

  /** Writes this as soon as something can be written, before everything else. */
  writeFirst(prepare: Prepare): void {
    this.#first = prepare;
    this.write(async () => undefined).catch((error) =>
      this.#parts.log.warn(
        { error: explain(error) },
        'nothing can be stored; it is tried again with the next change',
      ),
    );
  }

  /** Runs a task while nothing is written. */
  idle<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns.run('commit', task);
  }

  /** Takes in what others have committed up to now: once for all who ask before that is begun. */
  catchUp(): Promise<unknown> {
    this.#catchingUp ??= this.idle(() => {
      this.#catchingUp = undefined;
      return this.#commit(undefined);
    });
    return this.#catchingUp;
  }

  /** Takes in what others have committed; nothing where it is known already. Called while nothing is written. */
  async take(rows: readonly Row[], head: Head): Promise<void> {
    const { data, pace, isShown, log } = this.#parts;
    if (head.epoch === data.head.epoch && head.version <= data.head.version) return;
    const contents = await decoded(rows, pace());
    if (contents.serving && !isShown(contents.serving)) {
      const { baseUrl, order } = contents.serving;
      log.warn(
        { baseUrl, ...order },
        'a node with another configuration was started; this one shows the same now',
      );
    }
    await this.#show(contents, head);
    for (const listener of this.#listeners) listener(contents);
  }

  /** Takes in what others commit, until the signal is aborted. Never rejects. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, reloadOther, log } = this.#parts;
    const reloading = async (error: unknown) => {
      if (signal.aborted || !(error instanceof HeadUnknown)) throw error;
      await this.idle(reloadOther);
    };
    while (!signal.aborted) {
      try {
        await this.#followTail(signal).catch(reloading);
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
    let known = data.head;
    let rows: Row[] = [];
    for await (const { rows: some, head } of keep.tail(known, signal)) {
      rows.push(...some);
      if (!head) continue;
      const isStale = await this.idle(async () => {
        if (data.head.mark !== known.mark) return true;
        await this.take(rows, head);
        return false;
      });
      if (isStale) return;
      known = head;
      rows = [];
    }
  }

  async #writeInTurn(prepare: Prepare, lease?: Lease): Promise<void> {
    for (let tries = 1; ; tries++) {
      const prepared = await prepare();
      if (!prepared) return;
      const written = await this.#commit(prepared, tries < TRIES ? undefined : prepare, lease);
      if (written === 'again') continue;
      if (written?.change && !written.change.revision) await this.#date();
      if (written?.change) await this.#purge();
      return;
    }
  }

  /**
   * @param anew works it out again, while nobody else can write, when others have written meanwhile
   * @returns what was written, `undefined` when nothing was to be; `again` when others have written meanwhile, or the history is
   * another one: nothing was written, and what they have written is taken in
   */
  async #commit(
    prepared: PreparedCommit | undefined,
    anew?: Prepare,
    lease?: Lease,
  ): Promise<PreparedCommit | undefined | 'again'> {
    const { keep, data, reloadOther } = this.#parts;
    let latest = prepared && this.#whole(prepared);
    let others: readonly Row[] = [];
    let isTaken = false;
    const decide = async ({ head, rows }: Since) => {
      [others, isTaken] = [rows, false];
      if (rows.length === 0) return latest && writesOf(latest);
      // Where everything is to be shown otherwise, all of it is read, for which nobody else is kept waiting.
      if (!anew || (await this.#isOtherwiseShown(rows))) return undefined;
      await this.take(rows, head);
      isTaken = true;
      const again = await anew();
      latest = again && this.#whole(again);
      return latest && writesOf(latest);
    };
    try {
      const head = await keep.commit(data.head, decide, lease);
      if (others.length > 0 && !isTaken) {
        await this.take(others, head);
        return 'again';
      }
      if (latest) await this.#show(latest.contents, head);
      return latest;
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      await reloadOther();
      return 'again';
    }
  }

  async #isOtherwiseShown(rows: readonly Row[]): Promise<boolean> {
    const { serving } = await decoded(
      rows.filter(({ table }) => table === 'meta'),
      this.#parts.pace(),
    );
    return serving !== undefined && !this.#parts.isShown(serving);
  }

  async #show(contents: CommitContents, head: Head): Promise<void> {
    const { data, isShown, reload } = this.#parts;
    // Other addresses, another order: everything is shown otherwise.
    if (contents.serving && !isShown(contents.serving)) await reload();
    else await data.absorb(contents, head);
  }

  /** With where the registry stands afterwards. */
  #whole(prepared: PreparedCommit): PreparedCommit {
    const { change, contents } = prepared;
    return change ? { ...prepared, contents: { ...contents, ...this.#moved(change) } } : prepared;
  }

  #moved({ position, at, summaries, revision }: StateChange): Pick<CommitContents, 'meta' | 'states'> {
    const { data, clock } = this.#parts;
    const { meta } = data;
    const now = clock.now();
    const isNetwork = revision === 'network';
    const moved: Meta = {
      ...meta,
      revision: isNetwork ? meta.revision : next(meta.revision, now),
      networkRevision: isNetwork ? next(meta.networkRevision, now) : meta.networkRevision,
      position,
      at: position > meta.position ? at : meta.at,
    };
    const digest = feedDigest(data.summariesWith(summaries), moved.networkRevision.number);
    return {
      meta: moved,
      states: position > meta.position ? data.blocks.with({ position, digest }) : new Map(),
    };
  }

  /**
   * Readers saw the change only after it was written. Where that took it into another second, its date is moved on: a client that
   * was told the old state meanwhile would take that date for the date of the new one. The change has happened: a date that
   * cannot be written is written with the next change.
   */
  async #date(): Promise<void> {
    const { data, clock } = this.#parts;
    const since = clock.now();
    if (Math.floor(since / 1000) <= Math.floor(data.meta.revision.since / 1000)) return;
    await this.#tidy({ meta: data.date(since) }, 'the date of a change could not be stored');
  }

  /** Forgets the oldest removals and states, when it is time. It is tried again after the next change. */
  async #purge(): Promise<void> {
    const { data, clock, pace } = this.#parts;
    const { catalog, meta, blocks } = data;
    const removals = (await catalog.outlivedRemovals(clock.now())).slice(0, MOST_AT_ONCE);
    const { blocks: oldest, kept } = blocks.surplus;
    if (removals.length + oldest.length === 0) return;
    const purged = Math.max(removals.at(-1)?.position ?? 0, meta.purged);
    const floor = Math.max(purged, meta.floor, oldest.length > 0 ? catalog.firstStateOf(kept) : 0);
    const gone = await removalKeys(removals, pace());
    const states = new Map(oldest.map((block) => [block, undefined]));
    const contents = { meta: { ...meta, purged, floor }, gone, states };
    await this.#tidy(contents, 'old removals could not be deleted from the feed');
  }

  async #tidy(contents: Partial<CommitContents>, failure: string): Promise<void> {
    try {
      await this.#commit({ contents: { ...NO_CONTENTS, ...contents }, rows: [] });
    } catch (error) {
      this.#parts.log.warn({ error: explain(error) }, failure);
    }
  }
}

function writesOf({ contents, rows, quads }: PreparedCommit): Writes {
  return { rows: [...rows, ...otherRows(contents)], ...(quads ? { quads } : {}) };
}

function next({ number, since }: RevisionRow, now: number): RevisionRow {
  return { number: number + 1, since: Math.max(now, since) };
}
