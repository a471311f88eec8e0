import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explain } from './faults.js';

const DIRECTORY = 0o700;
const FILE = 0o600;
/** The bits of a file's mode that say what those who do not own it may do. */
const OTHERS = 0o077;

/** The part of a logger that this is told to. */
export interface PrivateFilesLog {
  warn(fields: Record<string, unknown>, message: string): void;
}

/**
 * Makes a directory, if need be, and takes from everybody but its owner the rights on it (0700), and on the
 * directories (0700) and files (0600) of these names in it: they hold secrets. Nothing else that lies there is
 * touched. What belongs to another user is left as it is, and the log names it.
 */
export async function makePrivate(
  directory: string,
  names: readonly string[],
  log: PrivateFilesLog,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: DIRECTORY });
  await tighten(directory, log);
  for (const name of names) await tighten(join(directory, name), log);
}

async function tighten(path: string, log: PrivateFilesLog): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (!stats || !(stats.isDirectory() || stats.isFile()) || (stats.mode & OTHERS) === 0) return;
  const before = (stats.mode & 0o777).toString(8);
  try {
    if (stats.uid !== process.geteuid?.()) throw new Error('it belongs to another user');
    const now = stats.isDirectory() ? DIRECTORY : FILE;
    await chmod(path, now);
    log.warn({ path, before, now: now.toString(8) }, 'other users of this machine could reach the data');
  } catch (error) {
    const fields = { path, mode: before, error: explain(error) };
    log.warn(fields, 'other users of this machine can reach the data, and the node cannot change that');
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
