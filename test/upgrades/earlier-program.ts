import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOP } from '../support/docs.js';

const run = promisify(execFile);

/** Where programs of earlier versions are kept from one run to the next; it can be deleted at any time. */
const KEPT = join(tmpdir(), 'component-registry-upgrades');

/** Why programs of earlier versions cannot be made here; `undefined` where they can. */
export async function whyNotHere(commits: readonly string[]): Promise<string | undefined> {
  for (const commit of commits) {
    try {
      await git('cat-file', '-e', `${commit}^{commit}`);
    } catch {
      return `commit ${commit} is not here: a clone with its whole history has it, a tarball has not`;
    }
  }
  return undefined;
}

/**
 * The built program of a commit, made of its own sources with the packages that its own lock file names.
 * @returns the folder of its checkout, in which `dist/main.js` is
 */
export async function earlierProgram(commit: string): Promise<string> {
  const folder = join(KEPT, commit);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  await mkdir(making, { recursive: true });
  await run('sh', ['-c', `git -C "${TOP}" archive ${commit} | tar -x -C "${making}"`]);
  await symlink(await packagesOf(making), join(making, 'node_modules'));
  await run(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { cwd: making, maxBuffer: 2 ** 26 });
  await rename(making, folder);
  return folder;
}

/** The packages of a checkout: those of this one where the lock files are the same. */
async function packagesOf(checkout: string): Promise<string> {
  const lock = await readFile(join(checkout, 'package-lock.json'));
  if (lock.equals(await readFile(join(TOP, 'package-lock.json')))) return join(TOP, 'node_modules');
  const folder = join(KEPT, `packages-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return join(folder, 'node_modules');
  const making = `${folder}.${process.pid}`;
  await mkdir(making, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    await cp(join(checkout, file), join(making, file));
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', args, { cwd: making, maxBuffer: 2 ** 26 });
  await rename(making, folder);
  return join(folder, 'node_modules');
}

async function git(...args: readonly string[]): Promise<string> {
  return (await run('git', ['-C', TOP, ...args])).stdout;
}
