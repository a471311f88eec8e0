import { spawnSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unlessMissing } from '../lib/missing-file.js';
import { STARTER_PACKAGE, starterFolder } from '../shipped-set.js';

const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Sees to it that the starter set is there: in a clone it is installed and built the first time, with the progress of npm on
 * the terminal.
 * @param note tells people what is done
 * @throws Error that says what is missing, and how to get it
 */
export async function prepareStarter(packageFolder: URL, note: (text: string) => void): Promise<void> {
  const folder = await starterFolder(packageFolder);
  if (!folder)
    throw new Error(
      'the starter set is not installed: run npm pack in the folder starter/ of a clone, ' +
        `and install the tarball (${STARTER_PACKAGE}) beside this program`,
    );
  if (await stat(new URL('dist/index.json', folder)).catch(unlessMissing)) return;
  const cwd = fileURLToPath(folder);
  note(`starter set: installing what it is built from, in ${cwd} (60 MB, once), and building its modules`);
  run('npm', INSTALL, cwd);
  run(process.execPath, ['build.mjs'], cwd);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const shell = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], shell });
  if (status === 0) return;
  if (error) throw error;
  const again = `(cd ${cwd} && ${command} ${args.join(' ')})`;
  throw new Error(`the starter set cannot be built. Try ${again}, or start without --starter`);
}
