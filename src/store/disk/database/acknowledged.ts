import { constants, type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Level, locationOf } from './level.js';
import { unseal } from './seal.js';
import type { StoreBatch } from './store-batch.js';

/** A file beside those of LevelDB, which passes over names that it does not know. */
export const ACKNOWLEDGED = 'ACKNOWLEDGED';
const KEY = '!meta!acknowledged';
/** Of a count, so that the file always has the same length. */
const DIGITS = 16;

/**
 * Counts the changes that were flushed to disk: in the database with each of them, and afterwards in a file. LevelDB takes
 * a log that has lost its end for whole if it was cut between two changes; then the file has counted more. The file
 * itself is not flushed: after a power failure it may have counted fewer, which means nothing.
 */
export class AcknowledgedChanges {
  #count: number;
  readonly #file: FileHandle | undefined;
  #writing: Promise<void> | undefined;

  private constructor(count: number, file: FileHandle | undefined) {
    this.#count = count;
    this.#file = file;
  }

  static async open(level: Level): Promise<AcknowledgedChanges> {
    const directory = locationOf(level);
    const count = await countIn(level);
    if (directory === undefined) return new AcknowledgedChanges(count, undefined);
    const flags = constants.O_RDWR | constants.O_CREAT;
    return new AcknowledgedChanges(count, await open(join(directory, ACKNOWLEDGED), flags, 0o600));
  }

  /** Has a batch count itself. */
  addTo(batch: StoreBatch): void {
    batch.put(KEY, String(this.#count + 1));
  }

  /** The batch is on disk. Nobody has to wait until the file says so, too. */
  confirm(): void {
    this.#count += 1;
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  async #write(): Promise<void> {
    let written = 0;
    while (this.#file && written < this.#count) {
      const count = this.#count;
      // A file that counts too few is no fault, and the next change writes it again.
      await this.#file.write(textOf(count), 0).catch(() => undefined);
      written = count;
    }
    this.#writing = undefined;
  }
}

/** How many changes that were acknowledged are not in the database, which has been in that directory. */
export async function missingChanges(level: Level, directory: string | undefined): Promise<number> {
  if (directory === undefined) return 0;
  const counted = readCount(await readFile(join(directory, ACKNOWLEDGED), 'latin1').catch(() => ''));
  return Math.max(0, counted - (await countIn(level)));
}

/** For messages. */
export function lastChanges(missing: number): string {
  return `the last ${missing} changes that were acknowledged are missing`;
}

async function countIn(level: Level): Promise<number> {
  const value = await level.get(KEY);
  return value === undefined ? 0 : Number(unseal(KEY, value) ?? 0);
}

function textOf(count: number): string {
  const text = String(count).padStart(DIGITS, '0');
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

/** 0 for a file that a power failure has left unfinished. */
function readCount(text: string): number {
  const count = Number(text.slice(0, DIGITS));
  return text === textOf(count) ? count : 0;
}
