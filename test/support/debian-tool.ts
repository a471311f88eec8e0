import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A program of a Debian package: the one that is installed, or else one that is unpacked beside, which starts no service
 * and changes nothing of the system. Undefined where there is neither, and then tests that need it are skipped.
 */
export async function debianTool(packageName: string, program: string): Promise<string | undefined> {
  const installed = `/usr/bin/${program}`;
  if (existsSync(installed)) return installed;
  const place = join(tmpdir(), `registry-test-tools-${packageName}`);
  const unpacked = join(place, 'usr/bin', program);
  if (!existsSync(unpacked)) await unpack(packageName, place).catch(noteMissing(packageName));
  return existsSync(unpacked) ? unpacked : undefined;
}

/** Two test runs at once both unpack it; the first one to be done moves it into place. */
async function unpack(packageName: string, place: string): Promise<void> {
  process.stderr.write(`Fetching the Debian package ${packageName} for tests (once) …\n`);
  const directory = await mkdtemp(join(tmpdir(), 'registry-test-tools-'));
  try {
    await run('apt-get', ['download', packageName], { cwd: directory });
    const [file = ''] = (await readdir(directory)).filter((name) => name.endsWith('.deb'));
    await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: directory });
    await rename(join(directory, 'unpacked'), place).catch(unlessThere);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}

function noteMissing(packageName: string): (error: Error) => void {
  return ({ message }) => {
    process.stderr.write(`Tests that need the Debian package ${packageName} are skipped: ${message}\n`);
  };
}
