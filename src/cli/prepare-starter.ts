import { spawn } from 'node:child_process';
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
  await run('npm', INSTALL, cwd);
  await run(process.execPath, ['build.mjs'], cwd);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], shell });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code === 0) return;
  const again = `(cd ${cwd} && ${command} ${args.join(' ')})`;
  throw new Error(`the starter set cannot be built. Try ${again}, or start without --starter`);
}
