import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backOff } from '../../../lib/back-off.js';
import type { Clock } from '../../../lib/clock.js';
import { explain, OutcomeUnknown, StorageFailure } from '../../../lib/faults.js';
import { KeyedMutex } from '../../../lib/keyed-mutex.js';
import type { StorageTrouble } from '../../registry-store.js';
import { AcknowledgedChanges, lastChanges, missingChanges } from './acknowledged.js';
import { DamagedData } from './damage.js';
import { type Level, locationOf } from './level.js';
import type { StoreBatch } from './store-batch.js';

/** Before the attempts to write again. */
const WAITS = { first: 1000, longest: 15_000 };
/** Space that LevelDB needs to open a database beside that of its logs, in bytes. */
const SPARE = 1_000_000;
/** Written to find out whether there is space again; LevelDB passes over names that it does not know. */
const PROBE = 'space-probe';

/** The part of a logger that this is told to. */
export interface StorageLog {
  warn(fields: Record<string, unknown>, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
}

export interface RecoveryOptions {
  readonly clock: Clock;
  readonly log?: StorageLog | undefined;
}

const NEEDS_RESTART = 'This node can neither write to its disk nor read it: restart it';

type Undo = readonly (readonly [key: string, value: string | undefined])[];

/**
 * Writes to a database, one batch after another, and gets over a disk that is full or fails. LevelDB keeps its
 * first error until it is opened anew, and what it appends to a log after a half-written change is lost at the
 * next start: so nothing more is written after an error. When a trial file can be written again, the database is
 * closed and opened. A change that was refused may lie in its log nevertheless (a write that succeeded and
 * could not be flushed): the values from before are written back, then writes are taken again.
 */
export class Recovery {
  readonly #level: Level;
  readonly #options: RecoveryOptions;
  readonly #mutex = new KeyedMutex();
  readonly #closing = new AbortController();
  #acknowledged: AcknowledgedChanges | undefined;
  #trouble: StorageTrouble | undefined;
  #undo: Undo | undefined;
  /** Is a restart the only way to write again? */
  #needsRestart = false;
  #recovering: Promise<void> = Promise.resolve();
  #generation = 0;

  constructor(level: Level, options: RecoveryOptions) {
    this.#level = level;
    this.#options = options;
  }

  /** To be called once, when the database is open. @throws DamagedData when changes that were acknowledged are missing */
  async open(): Promise<void> {
    const directory = locationOf(this.#level);
    const missing = await missingChanges(this.#level, directory);
    if (directory !== undefined && missing > 0) throw new DamagedData(directory, lastChanges(missing));
    this.#acknowledged = await AcknowledgedChanges.open(this.#level);
  }

  /** Why nothing can be written at present. */
  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  /** Moves when the database has been opened anew; batches from before cannot be written any more. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * @throws StorageFailure when nothing of the batch has been kept, and it can be tried again later; OutcomeUnknown when
   * the disk can no longer be read either, so that only a restart shows what is on it
   */
  write(batch: StoreBatch, generation: number, durable: boolean): Promise<void> {
    return this.#mutex.run('', async () => {
      if (this.#trouble || generation !== this.#generation) {
        await batch.close();
        throw new StorageFailure(this.#refusal(this.#trouble?.error ?? ''));
      }
      try {
        if (durable) this.#acknowledged?.addTo(batch);
        await batch.write(durable);
        if (durable) this.#acknowledged?.confirm();
      } catch (cause) {
        if (isClosed(cause)) throw cause;
        await this.#fail(explain(cause), batch.keys);
        if (this.#needsRestart)
          throw new OutcomeUnknown(`${NEEDS_RESTART} and look then whether the request was stored`, {
            cause,
          });
        throw new StorageFailure(this.#refusal(explain(cause)), { cause });
      }
    });
  }

  /** Closes the database; attempts to write again end. */
  async close(close: () => Promise<void>): Promise<void> {
    this.#closing.abort(new Error('The store is closed'));
    if (this.#trouble) await this.#recovering;
    await close();
    await this.#acknowledged?.close();
  }

  async #fail(error: string, keys: readonly string[]): Promise<void> {
    const { clock, log } = this.#options;
    const directory = locationOf(this.#level);
    this.#trouble = { since: clock.now(), error };
    try {
      // Reads still show the state from before: what is in the log only is not in memory.
      const values = await this.#level.getMany([...keys]);
      this.#undo = keys.map((key, i) => [key, values[i]] as const);
    } catch (cause) {
      // Without these values only a restart can tell what is on disk.
      const unread = explain(cause);
      log?.warn(
        { directory, error, unread },
        'nothing can be written until the node is restarted; reading goes on',
      );
      const advice = `what is stored cannot be read either (${unread}): restart the node`;
      this.#trouble = { ...this.#trouble, error: `${error}; ${advice}` };
      this.#needsRestart = true;
      return;
    }
    log?.warn({ directory, error }, 'nothing can be written; reading goes on, and writing is tried again');
    this.#recovering = this.#recover();
  }

  #refusal(error: string): string {
    if (!this.#needsRestart) return refusalOf(error);
    return `${NEEDS_RESTART}; nothing of the request was stored`;
  }

  async #recover(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 1; ; failures++) {
      // Rejects only when the store is being closed.
      await clock.sleep(backOff(failures, WAITS), signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#mutex.run('', () => this.#reopen());
        const seconds = this.#forgetTrouble();
        log?.info({ directory: locationOf(this.#level), seconds }, 'the disk can be written again');
        return;
      } catch (error) {
        if (this.#trouble) this.#trouble = { ...this.#trouble, error: explain(error) };
      }
    }
  }

  async #reopen(): Promise<void> {
    const location = locationOf(this.#level);
    if (location !== undefined) await tryToWrite(location);
    await this.#level.close();
    this.#generation += 1;
    await this.#level.open();
    const batch = this.#level.batch();
    // As they were, checksums included.
    for (const [key, value] of this.#undo ?? []) {
      if (value === undefined) batch.del(key);
      else batch.put(key, value);
    }
    await batch.write({ sync: true } as object);
  }

  /** Says how long it has lasted, in seconds. */
  #forgetTrouble(): number {
    const since = this.#trouble?.since ?? 0;
    this.#trouble = undefined;
    this.#undo = undefined;
    return Math.round((this.#options.clock.now() - since) / 1000);
  }
}

/** Why a request was not stored. `error`: what the system says. */
export function refusalOf(error: string): string {
  const full = /no space left|quota exceeded|file too large/i.test(error);
  const why = full ? 'The disk of this node is full' : 'This node cannot write to its disk at present';
  return `${why}; nothing of the request was stored. Reading goes on; try again later`;
}

function isClosed(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'LEVEL_BATCH_NOT_OPEN' || code === 'LEVEL_DATABASE_NOT_OPEN';
}

/** Writes as much as opening the database will need, and gives it back. @throws what the system says */
async function tryToWrite(directory: string): Promise<void> {
  const path = join(directory, PROBE);
  const logs = (await readdir(directory)).filter((name) => name.endsWith('.log'));
  const sizes = await Promise.all(logs.map(async (name) => (await stat(join(directory, name))).size));
  try {
    const file = await open(path, 'w', 0o600);
    try {
      await file.writeFile(Buffer.alloc(sizes.reduce((sum, size) => sum + size, SPARE)));
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}
