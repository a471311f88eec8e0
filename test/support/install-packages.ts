import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readlink, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitFor } from './wait-for.js';

/** Packages that are kept out of the main install because of their size, in a folder with a lock file of its own. */
interface Packages {
  /** With a slash at the end. */
  readonly dir: string;
  /** For the person who waits for the install. */
  readonly what: string;
}

/** How often somebody who waits is told how far an install has come, in ms. */
const PROGRESS_EVERY_MS = 5_000;

const folder = (name: string) => fileURLToPath(new URL(`../${name}/`, import.meta.url));
export const POD_SERVER_DIR = folder('pod-server');
export const CLIENTS_DIR = folder('clients');
export const LDES_CLIENT_DIR = folder('ldes-client');
const TOP = new URL('../../', import.meta.url);

/** Installs the pod server that scenarios read, unless it is there. */
export function installPodServer(): Promise<void> {
  return install({ dir: POD_SERVER_DIR, what: 'the pod server of the scenario tests (105 MB)' });
}

/** Installs the clients that scenarios try on a node, unless they are there. */
export function installClients(): Promise<void> {
  return install({ dir: CLIENTS_DIR, what: 'the clients of the scenario tests (172 MB)' });
}

/** Installs the client of event streams that follows the feed in a scenario, unless it is there. */
export function installLdesClient(): Promise<void> {
  return install({ dir: LDES_CLIENT_DIR, what: 'the LDES client of the scenario tests (59 MB)' });
}

/** Installs what the starter set is built from, unless it is there. */
export function installStarter(): Promise<void> {
  return install({ dir: fileURLToPath(new URL('starter/', TOP)), what: 'the starter set (60 MB)' });
}

/** Two test runs at once install once: the second one waits for the first. */
async function install(packages: Packages): Promise<void> {
  const { dir } = packages;
  const lock = `${dir}installing.lock`;
  while (!(await isInstalled(dir))) {
    if (await takeLock(lock)) {
      try {
        await runNpm(packages);
      } finally {
        await rm(lock, { force: true });
      }
    } else {
      await waitFor(async () => !(await isHeld(lock)), { timeoutMs: 600_000, describe: 'the other install' });
      await rm(lock, { force: true });
    }
  }
}

/** npm writes the hidden lock file last, so that half an install does not count. */
async function isInstalled(dir: string): Promise<boolean> {
  const written = `${dir}node_modules/.package-lock.json`;
  if (!existsSync(written)) return false;
  const { dependencies, devDependencies } = JSON.parse(await readFile(`${dir}package.json`, 'utf8'));
  const [found, wanted] = await Promise.all([versionsIn(written), versionsIn(`${dir}package-lock.json`)]);
  return Object.keys({ ...dependencies, ...devDependencies }).every((name) => found(name) === wanted(name));
}

async function versionsIn(lockFile: string): Promise<(name: string) => string | undefined> {
  const { packages } = JSON.parse(await readFile(lockFile, 'utf8'));
  return (name) => packages[`node_modules/${name}`]?.version;
}

async function runNpm({ dir, what }: Packages): Promise<void> {
  const started = Date.now();
  const { packages } = JSON.parse(await readFile(`${dir}package-lock.json`, 'utf8'));
  const folders = Object.keys(packages).filter((path) => path !== '');
  const seconds = () => Math.round((Date.now() - started) / 1000);
  process.stderr.write(`Installing ${what}, once; this takes about a minute …\n`);
  const progress = setInterval(() => {
    const there = folders.filter((path) => existsSync(dir + path)).length;
    process.stderr.write(`… ${there} of ${folders.length} packages after ${seconds()} s: ${what}\n`);
  }, PROGRESS_EVERY_MS);
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await promisify(execFile)('npm', ['ci', ...options], { cwd: dir });
  } finally {
    clearInterval(progress);
  }
  process.stderr.write(`Installed in ${seconds()} s: ${what}.\n`);
}

/** A symbolic link to the number of the process that holds it: made and named in one atomic step. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await symlink(String(process.pid), lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A lock whose process is gone is nobody's. */
async function isHeld(lock: string): Promise<boolean> {
  const holder = await readlink(lock).catch(() => undefined);
  try {
    return holder !== undefined && process.kill(Number(holder), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
