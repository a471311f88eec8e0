import { constants, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ACKNOWLEDGED } from './acknowledged.js';

/** Times that it is begun again, because the database was reorganised meanwhile. */
const TRIES = 20;
/** What LevelDB makes anew when it opens a database, and holds while it is open; and the snapshot of the catalog, which can be made anew, too. */
const NOT_COPIED = /^(LOCK|LOG(\.old)?|CATALOG(\.new)?)$/;

/**
 * Copies a database to a directory that does not exist, also while a process writes to it: the copy is the database as it
 * was at some moment since the call. LevelDB only ever appends to its log and to its manifest, and never changes a table; a
 * manifest that has not grown names the tables and the log that were copied.
 * @returns false when there is no database
 * @throws Error when the database was reorganised all the time, or cannot be read
 */
export async function copyDatabase(from: string, to: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await manifestIn(from);
    if (before === undefined) return false;
    const isWhole = await copyFiles(from, to);
    if (isWhole && before === (await manifestIn(from))) return true;
    await rm(to, { recursive: true, force: true });
  }
  throw new Error(`${from} is written to so much that no copy of it could be made; try again`);
}

/** The names of the manifests with their sizes: they tell one set of files from another. */
async function manifestIn(directory: string): Promise<string | undefined> {
  const names = await readdir(directory).catch(unlessMissing);
  const manifests = names?.filter((name) => name.startsWith('MANIFEST-')).sort() ?? [];
  if (manifests.length === 0) return undefined;
  const sizes = manifests.map(
    async (name) => `${name} ${(await stat(join(directory, name)).catch(unlessMissing))?.size}`,
  );
  return (await Promise.all(sizes)).join('\n');
}

/** False when a file has gone meanwhile. */
async function copyFiles(from: string, to: string): Promise<boolean> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const names = (await readdir(from)).filter((name) => !NOT_COPIED.test(name));
  // First the count of changes: what is copied after it has at least so many.
  const isCount = (name: string) => Number(name === ACKNOWLEDGED);
  for (const name of names.sort((one, other) => isCount(other) - isCount(one))) {
    const copied = await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE).then(
      () => true,
      (error: NodeJS.ErrnoException) => unlessMissing(error) ?? false,
    );
    if (!copied) return false;
  }
  return true;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
