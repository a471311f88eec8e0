import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../lib/missing-file.js';
import { PictureFault } from '../lib/picture/bounds.js';
import { type CleanPicture, cleanPicture } from '../lib/picture/clean-picture.js';

/** Pictures that are stored at most; with their largest size (`src/sync/pinning/picture-round.ts`), how much disk they take. */
const MOST = 1_000;

/** Copies of the pictures that descriptions name, as files below the data directory, named after the hash of the URL. */
export class Pictures {
  readonly #folder: string;
  readonly #names: Set<string>;
  #revision = 0;

  private constructor(folder: string, names: readonly string[]) {
    this.#folder = folder;
    this.#names = new Set(names);
  }

  /** @param folder made with the first picture */
  static async open(folder: string): Promise<Pictures> {
    const names = (await readdir(folder).catch(unlessMissing)) ?? [];
    return new Pictures(
      folder,
      names.filter((name) => /^[0-9a-f]{64}$/.test(name)),
    );
  }

  /** Another number whenever a picture has come, changed or gone. */
  get revision(): number {
    return this.#revision;
  }

  has(url: string): boolean {
    return this.#names.has(nameOf(url));
  }

  get isFull(): boolean {
    return this.#names.size >= MOST;
  }

  /** A file that has been damaged counts as none: it is fetched again. */
  async read(url: string): Promise<CleanPicture | undefined> {
    const bytes = this.has(url)
      ? await readFile(join(this.#folder, nameOf(url))).catch(unlessMissing)
      : undefined;
    try {
      return bytes && cleanPicture(bytes);
    } catch (error) {
      if (!(error instanceof PictureFault)) throw error;
      await this.forget(url);
      return undefined;
    }
  }

  async write(url: string, { bytes }: CleanPicture): Promise<void> {
    const [name, path] = [nameOf(url), join(this.#folder, nameOf(url))];
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, bytes, { mode: 0o600 });
    await rename(`${path}.new`, path);
    this.#names.add(name);
    this.#revision += 1;
  }

  forget(url: string): Promise<void> {
    return this.#remove([nameOf(url)]);
  }

  /** Forgets all that nobody names any more. */
  async keepOnly(urls: Iterable<string>): Promise<void> {
    const named = new Set([...urls].map(nameOf));
    await this.#remove([...this.#names].filter((name) => !named.has(name)));
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#names.delete(name);
      this.#revision += 1;
      await rm(join(this.#folder, name), { force: true });
    }
  }
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex');
}
