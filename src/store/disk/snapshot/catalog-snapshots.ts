import type { Clock } from '../../../lib/clock.js';
import { explain } from '../../../lib/faults.js';
import type { Pace } from '../../../lib/pace.js';
import type { StoreLog } from '../../registry-store.js';
import { AT_A_STOP_MS, FEW, LONG_MS, leastToWrite, QUIET_MS } from './snapshot-worth.js';
import { type CatalogCopy, writeSnapshot } from './write-snapshot.js';

export interface SnapshotsOptions {
  /** Undefined where there are no files: then there are no snapshots. */
  readonly directory: string | undefined;
  /** Statements from which on there are snapshots. */
  readonly least: number;
  readonly writtenAs: string;
  readonly now: () => { readonly position: number; readonly statements: number };
  /** The catalog as it is now. */
  readonly copy: () => CatalogCopy;
  /** The position of the snapshot that there is. */
  readonly last: number | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: StoreLog;
}

/** Writes snapshots of the catalog: from time to time, beside the commits, and at a stop. */
export class CatalogSnapshots {
  readonly #options: SnapshotsOptions;
  #last: number | undefined;
  #at: number;
  #writing: Promise<void> | undefined;
  #isWaiting = false;
  readonly #ended = new AbortController();
  /** When it has to be done with, at a stop: ms since the Unix epoch. */
  #until = Number.POSITIVE_INFINITY;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#last = options.last;
    this.#at = options.clock.now();
    // Where there is none, or none that could be used, there is to be one.
    this.changed();
  }

  /** To be told of every change, in the turn in which readers see it. */
  changed(): void {
    if (this.#writing || this.#until < Number.POSITIVE_INFINITY) return;
    const { changes, statements } = this.#due();
    const isLongAgo = changes > 0 && this.#options.clock.now() - this.#at > LONG_MS;
    if (changes >= leastToWrite(statements, false) || isLongAgo) this.#writing = this.#write();
    else if (changes >= leastToWrite(statements, true) && !this.#isWaiting) void this.#whenQuiet();
  }

  /** To be called before the store is closed, when nothing changes any more. */
  async end(): Promise<void> {
    this.#until = this.#options.clock.now() + AT_A_STOP_MS;
    this.#ended.abort();
    await this.#writing;
    if (this.#due().changes >= Math.max(1, Math.min(FEW, this.#options.least))) await this.#write();
  }

  async #whenQuiet(): Promise<void> {
    const { clock, now } = this.#options;
    this.#isWaiting = true;
    let seen: number;
    do {
      seen = now().position;
      await clock.sleep(QUIET_MS, this.#ended.signal).catch(() => undefined);
      if (this.#ended.signal.aborted) return;
    } while (now().position !== seen);
    this.#isWaiting = false;
    this.#writing ??= this.#write();
  }

  /** Changes since the last snapshot; none where there is to be no snapshot at all. */
  #due(): { readonly changes: number; readonly statements: number } {
    const { directory, least, now } = this.#options;
    const { position, statements } = now();
    if (directory === undefined || statements < least) return { changes: 0, statements };
    return { changes: position - (this.#last ?? Number.NEGATIVE_INFINITY), statements };
  }

  /** A snapshot that cannot be written is missed by nobody but the next start. It is tried again after as many changes. */
  async #write(): Promise<void> {
    const { directory = '', writtenAs, copy, pace, clock, log } = this.#options;
    const pause = pace();
    const breathe = () => {
      if (clock.now() > this.#until)
        throw new Error(`it would have taken more than ${AT_A_STOP_MS} ms of a stop`);
      return pause();
    };
    try {
      const taken = copy();
      this.#last = taken.position;
      this.#at = clock.now();
      await writeSnapshot(directory, taken, { writtenAs, breathe });
    } catch (error) {
      log.warn(
        { directory, error: explain(error) },
        'a snapshot of the catalog could not be written; the next start takes longer',
      );
    } finally {
      this.#writing = undefined;
    }
  }
}
