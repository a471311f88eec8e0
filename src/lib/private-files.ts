import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explain } from './faults.js';
import type { LogTo } from './log.js';
import { unlessMissing } from './missing-file.js';

const DIRECTORY = 0o700;
const FILE = 0o600;
/** The bits of a file's mode for the group and for other users. */
const OTHERS = 0o077;

/**
 * Creates a directory unless it exists, and gives rights on it to its owner alone (0700), because it holds secrets. The
 * same for the directories (0700) and files (0600) in it that have these names; other files are left alone. What
 * belongs to another user cannot be changed and is reported in the log.
 */
export async function makePrivate(
  directory: string,
  names: readonly string[],
  log: LogTo<'warn'>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: DIRECTORY });
  await tighten(directory, log);
  for (const name of names) await tighten(join(directory, name), log);
}

async function tighten(path: string, log: LogTo<'warn'>): Promise<void> {
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
