import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { backOff } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { explain, OutcomeUnknown } from '../../lib/faults.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import { KeepFull } from '../faults.js';
import type { Trouble } from '../keep.js';
import { GatheredBatch } from './gathered-batch.js';
import type { Level } from './level-files.js';

/** Before the attempts to write again, in ms. */
const WAITS = { first: 1_000, longest: 15_000 };
/** Space that LevelDB needs to open a database beside that of its logs, in bytes. */
const SPARE = 1_000_000;
/** Written to find out whether there is space again; LevelDB passes over names that it does not know. */
const PROBE = 'space-probe';
/** Keys whose values are read at a time. */
const PORTION = 1_000;
const NEEDS_RESTART = 'This node can neither write to its disk nor read it: restart it';

const REOPENED = 'the database was opened anew';

type Undo = readonly (readonly [key: string, value: string | undefined])[];

export interface LevelWriterOptions {
  readonly clock: Clock;
  readonly log: LogTo<'info' | 'warn'>;
  /** True where commits need not be on disk (fsync) when they resolve, because whoever opens the files flushes them at the end. */
  readonly isUnflushed?: boolean;
}

/**
 * Writes batches one after another, and gets over a disk that is full or fails. LevelDB keeps its first error until it is opened
 * anew, and what it appends to a log after a half-written batch is lost at the next start: so nothing more is written after an
 * error. When a trial file can be written again, the database is closed and opened. A batch that was refused may lie in its log
 * nevertheless (it was written and could not be flushed): the values from before are written back before anybody reads again, or when
 * the place is closed. A process that is killed before that leaves the batch, and the next one finds it.
 */
export class LevelWriter {
  readonly #level: Level;
  readonly #options: LevelWriterOptions;
  readonly #mutex = new KeyedMutex();
  readonly #closing = new AbortController();
  #trouble: Trouble | undefined;
  #undo: Undo | undefined;
  #recovering: Promise<void> = Promise.resolve();
  /** How often the database has been opened anew: batches from before cannot be written any more. */
  #openings = 0;

  constructor(level: Level, options: LevelWriterOptions) {
    this.#level = level;
    this.#options = options;
  }

  /** Why nothing can be written at present; reading goes on. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** A batch to be filled, and then written or discarded. @throws KeepFull */
  begin(): GatheredBatch {
    this.#refuseTrouble();
    return new GatheredBatch(this.#level, this.#openings);
  }

  /**
   * @throws KeepFull when nothing of the batch has been kept, and it can be tried again later; OutcomeUnknown when the disk cannot
   * be read either, so that only a restart shows what is on it
   */
  write(batch: GatheredBatch): Promise<void> {
    return this.#mutex.run('', async () => {
      try {
        this.#refuseTrouble();
        if (batch.opening !== this.#openings) throw new KeepFull(refusalOf(REOPENED));
      } catch (error) {
        await batch.discard();
        throw error;
      }
      const sync = !this.#options.isUnflushed;
      await batch.commit(sync).catch((error) => this.#fail(error, batch.keys));
    });
  }

  /** What an error means of a batch that could not be filled: the database may have been opened anew meanwhile. */
  fillingFault(batch: GatheredBatch, error: unknown): unknown {
    if (!this.#trouble && batch.opening === this.#openings) return error;
    return new KeepFull(refusalOf(this.#trouble?.error ?? REOPENED), { cause: error });
  }

  #refuseTrouble(): void {
    if (this.#trouble) throw new KeepFull(refusalOf(this.#trouble.error));
  }

  /** Attempts to write again end, then the database is closed. What was refused is taken back if the disk lets it. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The database is closed'));
    await this.#recovering;
    await this.#mutex.run('', async () => {
      await this.#level.close();
      await this.#takeBack().catch((error) => {
        const fields = { directory: this.#level.location, error: explain(error) };
        this.#options.log.warn(
          fields,
          'what was refused could not be taken back: the next start may find it',
        );
      });
    });
  }

  async #fail(cause: unknown, keys: readonly string[]): Promise<never> {
    const { clock, log } = this.#options;
    const error = explain(cause);
    const directory = this.#level.location;
    this.#trouble = { kind: 'full', since: clock.now(), error };
    try {
      // Reads still show the state from before: what is in the log only is not in memory.
      this.#undo = await this.#valuesOf(keys);
    } catch (unread) {
      const also = explain(unread);
      this.#trouble = { ...this.#trouble, error: `${NEEDS_RESTART} (${error}; ${also})` };
      log.warn({ directory, error, unread: also }, 'nothing can be written until the node is restarted');
      throw new OutcomeUnknown(`${NEEDS_RESTART} and look then whether the change was stored`, { cause });
    }
    log.warn({ directory, error }, 'nothing can be written; reading goes on, and writing is tried again');
    this.#recovering = this.#recover();
    throw new KeepFull(refusalOf(error), { cause });
  }

  async #valuesOf(keys: readonly string[]): Promise<Undo> {
    const undo: [string, string | undefined][] = [];
    for (let at = 0; at < keys.length; at += PORTION) {
      const some = keys.slice(at, at + PORTION);
      const values = await this.#level.getMany(some);
      undo.push(...some.map((key, i): [string, string | undefined] => [key, values[i]]));
    }
    return undo;
  }

  async #recover(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 1; ; failures++) {
      // Rejects only when the database is being closed.
      await clock.sleep(backOff(failures, WAITS), signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#mutex.run('', () => this.#reopen());
        const seconds = Math.round((clock.now() - (this.#trouble?.since ?? 0)) / 1000);
        this.#trouble = undefined;
        log.info({ directory: this.#level.location, seconds }, 'the disk can be written again');
        return;
      } catch (error) {
        if (this.#trouble) this.#trouble = { ...this.#trouble, error: explain(error) };
      }
    }
  }

  async #reopen(): Promise<void> {
    await tryToWrite(this.#level.location);
    await this.#level.close();
    this.#openings += 1;
    await this.#takeBack();
    await this.#level.open({ createIfMissing: false });
  }

  /** Writes the values from before the batch that was refused, while the database is closed for everybody else. */
  async #takeBack(): Promise<void> {
    if (!this.#undo) return;
    const level = new ClassicLevel<string, string>(this.#level.location, { createIfMissing: false });
    try {
      await level.open();
      const batch = level.batch();
      for (const [key, value] of this.#undo) {
        if (value === undefined) batch.del(key);
        else batch.put(key, value);
      }
      await batch.write({ sync: true } as object);
      this.#undo = undefined;
    } finally {
      await level.close();
    }
  }
}

/** Why nothing was stored. `error`: what the system says. */
function refusalOf(error: string): string {
  if (error.startsWith(NEEDS_RESTART)) return `${NEEDS_RESTART}; nothing of the request was stored`;
  const isFull = /no space left|quota exceeded|file too large/i.test(error);
  const why = isFull ? 'The disk of this node is full' : 'This node cannot write to its disk at present';
  return `${why}; nothing of the request was stored. Reading goes on; try again later`;
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
