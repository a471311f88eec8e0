import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Packages that are kept out of the main install because of their size, in a folder with a lock file of its own. */
interface Packages {
  /** With a slash at the end. */
  readonly dir: string;
  /** For the person who waits for the install. */
  readonly what: string;
}

const folder = (name: string) => fileURLToPath(new URL(`../${name}/`, import.meta.url));
export const POD_SERVER_DIR = folder('pod-server');
export const CLIENTS_DIR = folder('clients');
export const LDES_CLIENT_DIR = folder('ldes-client');
const TOP = new URL('../../', import.meta.url);

const folderOf = (dir: string, what: string) => () => install({ dir, what });

// Each installs its packages, unless they are there.
export const installPodServer = folderOf(POD_SERVER_DIR, 'the pod server of the tests (105 MB)');
export const installClients = folderOf(CLIENTS_DIR, 'the clients of the tests (172 MB)');
export const installLdesClient = folderOf(LDES_CLIENT_DIR, 'the LDES client of the tests (59 MB)');
export const installStarter = folderOf(fileURLToPath(new URL('starter/', TOP)), 'the starter set (60 MB)');

async function install({ dir, what }: Packages): Promise<void> {
  if (await isInstalled(dir)) return;
  process.stderr.write(`Installing ${what}, once; this takes about a minute …\n`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: dir });
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
