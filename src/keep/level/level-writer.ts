import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { backOff } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import { explain, StorageFailure } from '../../lib/faults.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { LogTo } from '../../lib/log.js';
import type { Trouble } from '../keep.js';
import type { Level } from './level-files.js';

/** Before the attempts to write again, in ms. */
const WAITS = { first: 1_000, longest: 15_000 };
/** Space that LevelDB needs to open a database beside that of its logs, in bytes. */
const SPARE = 1_000_000;
/** Values that are read at a time. */
const READ = 1_000;
/** Written to find out whether there is space again; LevelDB passes over names that it does not know. */
const PROBE = 'space-probe';

/** Takes a change of what is stored under a key, which goes when the value is undefined. */
export type Change = (key: string, value: string | undefined) => unknown;
type Fill = (change: Change) => Promise<void>;

type Values = readonly (readonly [key: string, value: string | undefined])[];

interface LevelWriterOptions {
  readonly clock: Clock;
  readonly log: LogTo<'info' | 'warn'>;
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
  #recovering: Promise<void> = Promise.resolve();

  constructor(level: Level, options: LevelWriterOptions) {
    this.#level = level;
    this.#options = options;
  }

  /** Why nothing can be written at present; reading goes on. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /**
   * Writes the changes that `fill` makes, as one batch. Where the disk refuses them, `fill` is called again, to know which keys they have.
   * @throws StorageFailure when nothing of the batch has been kept, and it can be tried again later; what `fill` throws
   */
  write(fill: Fill): Promise<void> {
    return this.#mutex.run('', async () => {
      if (this.#trouble) throw refusal(this.#trouble.error);
      const batch = this.#level.batch();
      try {
        // Without options: abstract-level takes several times as long for operations that have any.
        await fill((key, value) => (value === undefined ? batch.del(key) : batch.put(key, value)));
      } catch (error) {
        await batch.close();
        throw error;
      }
      await batch.write({ sync: true } as object).catch((error) => this.#fail(error, fill));
    });
  }

  /** Attempts to write again end, then the database is closed. What was refused is taken back if the disk lets it. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The database is closed'));
    await this.#recovering;
    await this.#mutex.run('', () => this.#level.close());
  }

  #fail(cause: unknown, fill: Fill): never {
    const { clock, log } = this.#options;
    const [directory, error] = [this.#level.location, explain(cause)];
    this.#trouble = { kind: 'full', since: clock.now(), error };
    log.warn({ directory, error }, 'nothing can be written; reading goes on, and writing is tried again');
    this.#recovering = this.#recover(fill);
    throw refusal(error, { cause });
  }

  /** Opens the database anew, as it was before what was refused; or leaves it closed so, when the place is closed. */
  async #recover(refused: Fill): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    const directory = this.#level.location;
    let former: Values | undefined;
    const reopen = async () => {
      if (!signal.aborted) await tryToWrite(directory);
      // Until it is closed it shows the state from before: what is in the log only is not in memory.
      former ??= await this.#valuesNow(refused);
      await this.#level.close();
      await putBack(directory, former);
      if (!signal.aborted) await this.#level.open({ createIfMissing: false });
    };
    for (let failures = 1; ; failures++) {
      // Rejects only when the place is being closed.
      await clock.sleep(backOff(failures, WAITS), signal).catch(() => undefined);
      // The place may begin to be closed in the middle of an attempt, for which that is not the last word.
      const isLast = signal.aborted;
      try {
        await this.#mutex.run('', reopen);
        const seconds = Math.round((clock.now() - (this.#trouble?.since ?? 0)) / 1000);
        if (!signal.aborted) log.info({ directory, seconds }, 'the disk can be written again');
        this.#trouble = undefined;
        return;
      } catch (cause) {
        const error = explain(cause);
        if (this.#trouble) this.#trouble = { ...this.#trouble, error };
        if (!isLast) continue;
        const what = 'what was refused could not be taken back: the next start may find it';
        return log.warn({ directory, error }, what);
      }
    }
  }

  /** The stored values of all keys that a batch changes. */
  async #valuesNow(fill: Fill): Promise<Values> {
    const keys: string[] = [];
    await fill((key) => keys.push(key));
    const values: (string | undefined)[] = [];
    for (let at = 0; at < keys.length; at += READ)
      values.push(...(await this.#level.getMany(keys.slice(at, at + READ))));
    return keys.map((key, i) => [key, values[i]]);
  }
}

/** Writes values while nobody has the database open, and so before anybody reads. */
async function putBack(directory: string, values: Values): Promise<void> {
  if (values.length === 0) return;
  const level = new ClassicLevel<string, string>(directory, { createIfMissing: false });
  try {
    await level.open();
    const batch = level.batch();
    for (const [key, value] of values) value === undefined ? batch.del(key) : batch.put(key, value);
    await batch.write({ sync: true } as object);
  } finally {
    await level.close();
  }
}

/** Why nothing was stored. `error`: what the system says. */
function refusal(error: string, options?: ErrorOptions): StorageFailure {
  const isFull = /no space left|quota exceeded|file too large/i.test(error);
  const why = isFull ? 'The disk of this node is full' : 'This node cannot write to its disk at present';
  const what = `${why}; nothing of the request was stored. Reading goes on; try again later`;
  return new StorageFailure(what, options);
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
