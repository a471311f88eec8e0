import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readlink, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitFor } from './wait-for.js';

export const POD_SERVER_DIR = fileURLToPath(new URL('../pod-server/', import.meta.url));
const LOCK = `${POD_SERVER_DIR}installing.lock`;

/**
 * Installs the pod server that the scenarios read, unless it is there: it is kept out of the main install because
 * it is ten times its size. Two test runs at once do it once: the second one waits for the first.
 */
export async function installPodServer(): Promise<void> {
  while (!(await isInstalled())) {
    if (await takeLock()) {
      try {
        await install();
      } finally {
        await rm(LOCK, { force: true });
      }
    } else {
      await waitFor(async () => !(await isHeld()), { timeoutMs: 600_000, describe: 'the other install' });
      await rm(LOCK, { force: true });
    }
  }
}

/** npm writes the hidden lock file last, so that half an install does not count. */
async function isInstalled(): Promise<boolean> {
  const written = 'node_modules/.package-lock.json';
  return (
    existsSync(POD_SERVER_DIR + written) &&
    (await versionIn(written)) === (await versionIn('package-lock.json'))
  );
}

async function versionIn(lockFile: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(POD_SERVER_DIR + lockFile, 'utf8'));
  return packages['node_modules/@solid/community-server'].version;
}

async function install(): Promise<void> {
  const started = Date.now();
  process.stderr.write('Installing the pod server of the scenario tests (once, 105 MB, about a minute) …\n');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: POD_SERVER_DIR });
  process.stderr.write(`Pod server installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** A symbolic link to the number of the process that holds it: made and named in one atomic step. */
async function takeLock(): Promise<boolean> {
  try {
    await symlink(String(process.pid), LOCK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A lock whose process is gone is nobody's. */
async function isHeld(): Promise<boolean> {
  const holder = await readlink(LOCK).catch(() => undefined);
  try {
    return holder !== undefined && process.kill(Number(holder), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
