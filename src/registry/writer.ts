import { feedDigest } from '../core/source-digests.js';
import { HeadUnknown } from '../keep/faults.js';
import type { Head, Keep, Lease, Row, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import { MOST_AT_ONCE } from './difference.js';
import { type Effects, type Meta, NO_EFFECTS, type RevisionRow, type Serving } from './effects.js';
import type { Draft, Move } from './numbering.js';
import type { RegistryData } from './registry-data.js';
import { decoded, otherRows, removalKeys } from './rows.js';

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
  readonly #listeners = new Set<(effects: Effects) => void>();

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
      for (;;) {
        const made = await draft();
        if (!made) return false;
        const { writes, effects } = this.#finished(made);
        if (!(await this.#commit(writes, effects, lease))) continue;
        if (made.move && !made.move.revision) await this.#date();
        if (made.move) await this.#purge();
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
      await this.#commit(undefined, NO_EFFECTS);
    });
  }

  /** Takes in what others commit, until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { keep, data } = this.#parts;
    while (!signal.aborted) {
      try {
        let rows: Row[] = [];
        for await (const part of keep.tail(data.head, signal)) {
          rows.push(...part.rows);
          const { head } = part;
          if (!head) continue;
          const all = rows;
          rows = [];
          await this.idle(() => this.#absorbRows(all, head));
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof HeadUnknown)) throw error;
        await this.idle(this.#parts.reloadOther);
      }
    }
  }

  /** Calls `listener` with what others have committed. The function that is returned ends it. */
  watch(listener: (effects: Effects) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @returns false when others have written meanwhile, or the history is another one: nothing was written, and it is taken in */
  async #commit(writes: Writes | undefined, effects: Effects, lease?: Lease): Promise<boolean> {
    const { keep, data, reloadOther } = this.#parts;
    let others: readonly Row[] = [];
    try {
      const decide = ({ rows }: { readonly rows: readonly Row[] }) => {
        others = rows;
        return rows.length === 0 ? writes : undefined;
      };
      const head = await keep.commit(data.head, decide, lease);
      if (others.length === 0) {
        if (writes) await this.#absorb(effects, head);
      } else await this.#absorbRows(others, head);
      return others.length === 0;
    } catch (error) {
      if (!(error instanceof HeadUnknown)) throw error;
      await reloadOther();
      return false;
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

  async #absorb(effects: Effects, head: Head): Promise<void> {
    const { data, isShown, reload } = this.#parts;
    // Other addresses, another order: everything is shown otherwise.
    if (effects.serving && !isShown(effects.serving)) await reload();
    else await data.absorb(effects, head);
  }

  /** What a draft writes, and what it leads to. */
  #finished({ effects, rows, quads, move }: Draft): { writes: Writes; effects: Effects } {
    const after = move ? { ...effects, ...this.#moved(move, effects) } : effects;
    const writes = { rows: [...rows, ...otherRows(after)], ...(quads ? { quads } : {}) };
    return { writes, effects: after };
  }

  #moved({ position, at, summaries, revision }: Move, effects: Effects): Pick<Effects, 'meta' | 'states'> {
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
    const effects = { ...NO_EFFECTS, meta: data.date(since) };
    try {
      await this.#commit({ rows: otherRows(effects) }, effects);
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
    const effects: Effects = {
      ...NO_EFFECTS,
      meta: { ...meta, purged, floor },
      gone: await removalKeys(removals, pace()),
      states: new Map(oldest.map((block) => [block, undefined])),
    };
    try {
      await this.#commit({ rows: otherRows(effects) }, effects);
    } catch (error) {
      log.warn({ error: explain(error) }, 'old removals could not be deleted from the feed');
    }
  }
}

function next({ number, since }: RevisionRow, now: number): RevisionRow {
  return { number: number + 1, since: Math.max(now, since) };
}
