import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cleanup } from './cleanup.js';
import { tempDir } from './temp-dir.js';

const run = promisify(execFile);

/** An empty disk of so many megabytes in memory, gone with the test. Mounting takes root. */
export async function smallDisk(megabytes: number): Promise<string> {
  const path = await tempDir();
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  // Lazily: a node that the test has failed to stop may still have files open.
  cleanup(() => run('umount', ['--lazy', path]));
  return path;
}
