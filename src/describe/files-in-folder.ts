import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PackageFiles } from './package-files.js';

/** The files of a package in a folder; its package.json may be named, too. */
export function filesInFolder(argument: string): PackageFiles {
  const named = resolve(argument);
  const folder = basename(named) === 'package.json' ? dirname(named) : named;
  return {
    ...{ place: folder, url: undefined },
    async read(path) {
      const file = resolve(folder, path);
      if (!file.startsWith(folder + sep)) return undefined;
      try {
        return await readFile(pathToFileURL(file), 'utf8');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
        throw error;
      }
    },
  };
}
