import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import { unlessMissing } from '../lib/missing-file.js';

const DIRECTORY = 0o700;
const FILE = 0o600;
/** The bits of a file's mode for the group and for other users. */
const OTHERS = 0o077;

/**
 * Creates a directory unless it exists, and gives rights on it to its owner alone (0700), because it holds secrets. The
 * same for the directories (0700) and files (0600) in it that have these names; other files are left alone. What
 * belongs to another user cannot be changed; the log warns of it, and of a file that others could have read until now. Of a
 * directory that was closed to others, the log only informs: most are made by an operator with the usual rights.
 */
export async function makePrivate(
  directory: string,
  names: readonly string[],
  log: LogTo<'info' | 'warn'>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: DIRECTORY });
  await tighten(directory, log);
  for (const name of names) await tighten(join(directory, name), log);
}

async function tighten(path: string, log: LogTo<'info' | 'warn'>): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (!stats || !(stats.isDirectory() || stats.isFile()) || (stats.mode & OTHERS) === 0) return;
  const before = (stats.mode & 0o777).toString(8);
  try {
    if (stats.uid !== process.geteuid?.()) throw new Error('it belongs to another user');
    const now = stats.isDirectory() ? DIRECTORY : FILE;
    await chmod(path, now);
    const fields = { path, before, now: now.toString(8) };
    if (stats.isDirectory()) log.info(fields, 'from now on, only the user of this node reaches the data');
    else log.warn(fields, 'other users of this machine could read this file until now');
  } catch (error) {
    const fields = { path, mode: before, error: explain(error) };
    log.warn(fields, 'other users of this machine can reach the data, and the node cannot change that');
  }
}
