import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explain, StorageFailure } from '../lib/faults.js';
import { textTag } from '../lib/http/response/text-tag.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { unlessMissing } from '../lib/missing-file.js';

/** One document of data, as it is now. */
export interface SampleDocument {
  /** Turtle. */
  readonly text: string;
  /** Strong, with its quotes. */
  readonly etag: string;
}

/**
 * The data of the samples, which visitors may change: a fixed set of small documents, so that nobody can fill the disk
 * with them. What was changed is kept in a folder of its own; everything else is as it came.
 */
export class SampleData {
  readonly #original: ReadonlyMap<string, string>;
  readonly #folder: string;
  readonly #writes = new KeyedMutex();

  /** @param folder where changes are kept; made with the first one */
  constructor(original: ReadonlyMap<string, string>, folder: string) {
    this.#original = original;
    this.#folder = folder;
  }

  /** A document; undefined when there is none of that name. */
  async read(name: string): Promise<SampleDocument | undefined> {
    const original = this.#original.get(name);
    if (original === undefined) return undefined;
    const text = (await readChanged(join(this.#folder, name))) ?? original;
    return { text, etag: textTag(text) };
  }

  /**
   * Replaces a document, if `allows` says so of what is there. It is on disk when this resolves.
   * @returns the new document; undefined when it was not allowed
   * @throws StorageFailure when it could not be stored, and nothing has changed
   */
  write(
    name: string,
    text: string,
    allows: (present: SampleDocument) => boolean,
  ): Promise<SampleDocument | undefined> {
    return this.#writes.run(name, async () => {
      const present = await this.read(name);
      if (!present || !allows(present)) return undefined;
      await this.#store(name, text);
      return this.read(name);
    });
  }

  /** Does any document differ from the one that came with the software? */
  async isChanged(): Promise<boolean> {
    for (const [name, text] of this.#original) if ((await this.read(name))?.text !== text) return true;
    return false;
  }

  /** Puts everything back as it came. */
  async reset(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Atomically: after a crash the old text is there or the new one. */
  async #store(name: string, text: string): Promise<void> {
    const path = join(this.#folder, name);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      const folder = await open(this.#folder);
      await folder.sync().finally(() => folder.close());
    } catch (cause) {
      throw new StorageFailure(`The data of the samples cannot be written: ${explain(cause)}`, { cause });
    }
  }
}

function readChanged(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unlessMissing);
}
