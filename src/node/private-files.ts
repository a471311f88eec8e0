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
 * same for the directories (0700) and files (0600) in it that have these names; other files are left alone. The log warns of what
 * others could have reached until now, and of what belongs to another user, which cannot be changed.
 */
export async function makePrivate(
  directory: string,
  names: readonly string[],
  log: LogTo<'warn'>,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: DIRECTORY });
  for (const path of [directory, ...names.map((name) => join(directory, name))]) {
    const stats = await lstat(path).catch(unlessMissing);
    if (!stats || !(stats.isDirectory() || stats.isFile()) || (stats.mode & OTHERS) === 0) continue;
    const failure = await chmod(path, stats.isDirectory() ? DIRECTORY : FILE).catch(explain);
    const until = failure === undefined ? 'until now' : 'and the node cannot change that';
    const fields = { path, mode: (stats.mode & 0o777).toString(8), error: failure ?? undefined };
    log.warn(fields, `other users of this machine could reach the data, ${until}`);
  }
}
