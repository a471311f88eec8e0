import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Reads the text of a file of a package, by its path from the package's folder; undefined when there is none. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** The folder of a package that is named by it, or by its package.json. */
export function packageFolder(named: string): string {
  const path = resolve(named);
  return basename(path) === 'package.json' ? dirname(path) : path;
}

/** Reads nothing outside of the folder, whatever a package.json says. */
export function readerIn(folder: string): ReadFile {
  return async (path) => {
    const file = resolve(folder, path);
    if (!file.startsWith(folder + sep)) return undefined;
    try {
      return await readFile(pathToFileURL(file), 'utf8');
    } catch (error) {
      if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code)))
        return undefined;
      throw error;
    }
  };
}
