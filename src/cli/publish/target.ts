import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { unlessMissing } from '../../lib/missing-file.js';

/** What is published now. */
export interface Stored {
  /** Turtle; undefined when there is nothing yet. */
  readonly text: string | undefined;
  /** What the server calls this state. */
  readonly etag?: string | undefined;
  /** Why a change by somebody else might be undone all the same: a sentence. */
  readonly caution?: string | undefined;
}

/** A metadata document that is read and written. */
export interface Target {
  /** Where it is, for people. */
  readonly address: string;
  /** Its address on the web; undefined while that is not known. */
  readonly url: string | undefined;
  /** @throws Error that says what to do when it cannot be read */
  read(): Promise<Stored>;
  /**
   * Writes the document, or deletes it, if it still is what was read.
   * @throws Error that says what to do
   */
  write(text: string | undefined, before: Stored): Promise<void>;
}

/** What is wrong, behind its address, with a document that is no longer what was read. */
export const CHANGED = 'has been changed meanwhile: look at the difference again';

/** The document of a folder: one address for all components in it, from however many packages. */
const DOCUMENT = 'components.ttl';

/**
 * A file for any static host. A folder has one document, to which each package adds its components.
 * @param at the address of the folder, or of the file, on the web
 */
export function folderTarget(to: string, at: string | undefined): Target {
  const isFile = extname(to) === '.ttl';
  const file = resolve(isFile ? to : join(to, DOCUMENT));
  const url = at?.endsWith('/') ? `${at}${isFile ? to.split(/[\\/]/).at(-1) : DOCUMENT}` : at;
  return {
    address: isFile ? to : join(to, DOCUMENT),
    url,
    async read() {
      return { text: await readFile(file, 'utf8').catch(unlessMissing) };
    },
    async write(text, before) {
      // A file system compares nothing when it writes, as a pod's server does.
      if ((await this.read()).text !== before.text) throw new Error(`${file} ${CHANGED}`);
      if (text === undefined) return rm(file);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: before.text === undefined ? 'wx' : 'w' });
    },
  };
}
