import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';

/** The files of one npm package, wherever it is. */
export interface PackageFiles {
  /** The folder or URL, for messages. */
  readonly name: string;
  /** Where its files are on the web, with a slash at the end; undefined for a folder. */
  readonly url?: string;
  /** The text of a file, by its path from the package's folder; undefined when there is none. */
  read(path: string): Promise<string | undefined>;
}

/** The files of the package that an argument of the command line names: by its folder, or by the URL of its package.json. */
export function packageFiles(argument: string, fetch: GuardedFetch): PackageFiles {
  return /^https?:\/\//i.test(argument) ? filesAtUrl(argument, fetch) : filesInFolder(argument);
}

/** The files of a package in a folder; its package.json may be named, too. */
export function filesInFolder(argument: string): PackageFiles {
  const named = resolve(argument);
  const folder = basename(named) === 'package.json' ? dirname(named) : named;
  return {
    name: folder,
    async read(path) {
      const file = resolve(folder, path);
      if (!file.startsWith(folder + sep)) return undefined;
      try {
        return await readFile(pathToFileURL(file), 'utf8');
      } catch (error) {
        if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code)))
          return undefined;
        throw error;
      }
    },
  };
}

/** Bundles with all they need are large. */
const LIMITS = { maxBytes: 10_000_000, timeoutMs: 30_000 };

/** The files beside a package.json on the web; `fetch` decides which addresses may be read. */
export function filesAtUrl(packageJson: string, fetch: GuardedFetch): PackageFiles {
  const url = new URL('.', packageJson).href;
  return {
    name: url,
    url,
    async read(path) {
      const file = new URL(path, url).href;
      if (!file.startsWith(url)) return undefined;
      const answer = await fetch(file, { trust: 'configured', turn: 'none', ...LIMITS });
      if (answer.status === 200) return answer.text();
      await answer.discard();
      if (answer.status === 404 || answer.status === 410) return undefined;
      throw new Error(`${file} answers ${answer.status}`);
    },
  };
}
