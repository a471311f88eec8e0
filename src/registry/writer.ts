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
import type { Draft, Move } from './numbering.js';
import type { RegistryData } from './registry-data.js';
import { decoded, otherRows, removalKeys } from './rows.js';

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

/** Hands one commit after the other to the keep, and takes in what has been committed, by this node and by others. */
export class Writer {
  readonly #parts: WriterParts;
  readonly #turns = new KeyedMutex();
  readonly #listeners = new Set<(effects: CommitContents) => void>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Writes what `draft` works out, and shows it. It is called when nothing else is written, and again when others have written
   * meanwhile; nothing is written when it returns `undefined`. @returns whether something was written
   * @throws LeaseLost; StorageFailure, StoreUnavailable, OutcomeUnknown
   */
  write(draft: () => Promise<Draft | undefined>, lease?: Lease): Promise<boolean> {
    return this.#turns.run('commit', async () => {
      for (let tries = 1; ; tries++) {
        const made = await draft();
        if (!made) return false;
        const written = await this.#commit(made, { lease, anew: tries < TRIES ? undefined : draft });
        if (written === 'again') continue;
        if (written === undefined) return false;
        if (written.move && !written.move.revision) await this.#date();
        if (written.move) await this.#purge();
        return true;
      }
    });
  }

  /** Runs a task when nothing is written. */
  idle<T>(task: () => Promise<T>): Promise<T> {
    return this.#turns.run('commit', task);
  }

  /** Takes in what others have committed up to now. */
  catchUp(): Promise<void> {
    return this.#turns.run('commit', async () => {
      await this.#commit(undefined);
    });
  }

  /** Takes in what others commit, until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#followTail(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof HeadUnknown)) throw error;
        await this.idle(this.#parts.reloadOther);
      }
    }
  }

  /** Calls `listener` with what others have committed. The function that is returned ends it. */
  watch(listener: (effects: CommitContents) => void): () => void {
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
      const isSame = await this.idle(async () => {
        if (data.head.mark !== known.mark) return false;
        await this.#absorbRows(rows, head);
        return true;
      });
      if (!isSame) return;
      known = head;
      rows = [];
    }
  }

  /**
   * @param anew works the change out again, while nobody else can write, when others have written meanwhile
   * @returns what was written, `undefined` when nothing is to be; `again` when others have written meanwhile, or the history is
   * another one: nothing was written, and what they have written is taken in
   */
  async #commit(
    made: Draft | undefined,
    {
      lease,
      anew,
    }: { lease?: Lease | undefined; anew?: (() => Promise<Draft | undefined>) | undefined } = {},
  ): Promise<Draft | undefined | 'again'> {
    const { keep, data, reloadOther } = this.#parts;
    let others: readonly Row[] = [];
    let latest = made && { made, ...this.#finished(made) };
    try {
      const decide = async ({ head, rows }: Since) => {
        others = rows;
        if (rows.length === 0) return latest?.writes;
        if (!anew) return undefined;
        await this.#absorbRows(rows, head);
        const again = await anew();
        latest = again && { made: again, ...this.#finished(again) };
        return latest?.writes;
      };
      const head = await keep.commit(data.head, decide, lease);
      if (others.length > 0 && !anew) {
        await this.#absorbRows(others, head);
        return 'again';
      }
      if (latest) await this.#absorb(latest.effects, head);
      return latest?.made;
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      await reloadOther();
      return 'again';
    }
  }

  async #absorbRows(rows: readonly Row[], head: Head): Promise<void> {
    const { data, pace, isShown, log } = this.#parts;
    const isKnown = head.epoch === data.head.epoch && head.version <= data.head.version;
    if (isKnown) return;
    const effects = await decoded(rows, pace());
    if (effects.serving && !isShown(effects.serving)) {
      const { baseUrl, order } = effects.serving;
      log.warn(
        { baseUrl, ...order },
        'a node with another configuration was started; this one shows the same now',
      );
    }
    await this.#absorb(effects, head);
    for (const listener of this.#listeners) listener(effects);
  }

  async #absorb(effects: CommitContents, head: Head): Promise<void> {
    const { data, isShown, reload } = this.#parts;
    // Other addresses, another order: everything is shown otherwise.
    if (effects.serving && !isShown(effects.serving)) await reload();
    else await data.absorb(effects, head);
  }

  /** What a draft writes, and what it leads to. */
  #finished({ effects, rows, quads, move }: Draft): { writes: Writes; effects: CommitContents } {
    const after = move ? { ...effects, ...this.#moved(move, effects) } : effects;
    const writes = { rows: [...rows, ...otherRows(after)], ...(quads ? { quads } : {}) };
    return { writes, effects: after };
  }

  #moved(
    { position, at, summaries, revision }: Move,
    effects: CommitContents,
  ): Pick<CommitContents, 'meta' | 'states'> {
    const { data, clock } = this.#parts;
    const now = clock.now();
    const { meta } = data;
    const isNetwork = revision === 'network';
    const moved: Meta = {
      ...(effects.meta ?? meta),
      revision: isNetwork ? meta.revision : next(meta.revision, now),
      networkRevision: isNetwork ? next(meta.networkRevision, now) : meta.networkRevision,
      position,
      at: position > meta.position ? at : meta.at,
    };
    const digest = feedDigest(data.summariesWith(summaries), moved.networkRevision.number);
    const states = position > meta.position ? data.blocks.with({ position, digest }) : new Map();
    return { meta: moved, states };
  }

  /**
   * Readers saw the change only after it was written. Where that took it into another second, its date is moved on: a client that
   * was told the old state meanwhile would take that date for the date of the new one. The change has happened: a date that
   * cannot be written is written with the next change.
   */
  async #date(): Promise<void> {
    const { data, clock, log } = this.#parts;
    const since = clock.now();
    if (Math.floor(since / 1000) <= Math.floor(data.meta.revision.since / 1000)) return;
    const effects = { ...NO_CONTENTS, meta: data.date(since) };
    try {
      await this.#commit({ effects, rows: [] });
    } catch (error) {
      log.warn({ error: explain(error) }, 'the date of a change could not be stored');
    }
  }

  /** Forgets the oldest removals and states, when it is time. It is tried again after the next change. */
  async #purge(): Promise<void> {
    const { data, clock, pace, log } = this.#parts;
    const { catalog, meta, blocks } = data;
    const removals = catalog.outlivedRemovals(clock.now()).slice(0, MOST_AT_ONCE);
    const { blocks: oldest, kept } = blocks.surplus;
    if (removals.length + oldest.length === 0) return;
    const purged = Math.max(removals.at(-1)?.position ?? 0, meta.purged);
    const floor = Math.max(purged, meta.floor, oldest.length > 0 ? catalog.firstStateOf(kept) : 0);
    const effects: CommitContents = {
      ...NO_CONTENTS,
      meta: { ...meta, purged, floor },
      gone: await removalKeys(removals, pace()),
      states: new Map(oldest.map((block) => [block, undefined])),
    };
    try {
      await this.#commit({ effects, rows: [] });
    } catch (error) {
      log.warn({ error: explain(error) }, 'old removals could not be deleted from the feed');
    }
  }
}

function next({ number, since }: RevisionRow, now: number): RevisionRow {
  return { number: number + 1, since: Math.max(now, since) };
}
