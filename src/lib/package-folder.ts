import { existsSync } from 'node:fs';

/** The folder of the installed package, with a slash at the end: the nearest one above this module that has a package.json. */
export const PACKAGE_FOLDER: URL = nearestPackage(new URL('./', import.meta.url));

/** `dist/` in that folder, or `src/` where the sources run as they are: what `Task.module` is relative to. */
export const PROGRAM_FOLDER: URL = new URL(
  `${import.meta.url.slice(PACKAGE_FOLDER.href.length).split('/')[0]}/`,
  PACKAGE_FOLDER,
);

function nearestPackage(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : nearestPackage(new URL('../', folder));
}
