import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { STARTER_PACKAGE, starterFolder } from '../shipped-set.js';

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Sees to it that the starter set is there: in a clone it is installed and built the first time, and again when its sources
 * have changed, with the progress of npm on the terminal.
 * @param note tells people what is done
 * @throws Error that says what is missing, and how to get it
 */
export async function prepareStarter(packageFolder: URL, note: (text: string) => void): Promise<void> {
  const folder = await starterFolder(packageFolder);
  if (!folder) {
    throw new Error(
      `the starter set is not installed: run npm pack in the folder starter/ of a clone, and install the tarball (${STARTER_PACKAGE}) beside this program`,
    );
  }
  const cwd = fileURLToPath(folder);
  const built = await changed(new URL('dist/index.json', folder));
  if (built >= (await newestSource(folder))) return;
  const installed = await changed(new URL('node_modules/.package-lock.json', folder));
  if (installed < (await changed(new URL('package-lock.json', folder)))) {
    note(`starter set: installing what it is built from, in ${cwd} (60 MB, once)`);
    await run('npm', INSTALL, cwd, 'its packages cannot be installed; is the npm registry within reach?');
  }
  note('starter set: building its modules');
  await run(process.execPath, ['build.mjs'], cwd, 'its modules cannot be built.');
}

/** When the last file was changed that a build depends on, in ms; 0 for a package, which has none of them. */
async function newestSource(folder: URL): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (!entries.some(({ name }) => name === 'build.mjs')) return 0;
  const times = entries
    .filter(({ name }) => name !== 'node_modules' && name !== 'dist')
    .map(async (entry) => {
      const at = new URL(entry.isDirectory() ? `${entry.name}/` : entry.name, folder);
      if (!entry.isDirectory()) return changed(at);
      return Math.max(...(await Promise.all((await readdir(at)).map((name) => changed(new URL(name, at))))));
    });
  return Math.max(...(await Promise.all(times)));
}

/** When a file was changed, in ms; 0 when there is none. */
async function changed(file: URL): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

async function run(command: string, args: readonly string[], cwd: string, fault: string): Promise<void> {
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], shell });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code === 0) return;
  const again = `(cd ${cwd} && ${command} ${args.join(' ')})`;
  throw new Error(`the starter set is missing: ${fault} Try ${again}, or start without --starter`);
}
