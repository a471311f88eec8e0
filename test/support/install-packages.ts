import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { TOP } from './docs.js';

/**
 * Installs packages that are kept out of the main install because of their size, unless they are there: those of a folder with
 * a lock file of its own. Gives the path of the folder, with a slash at the end.
 */
export async function installed(folder: string, megabytes: number): Promise<string> {
  const path = `${TOP}${folder}/`;
  if (await isInstalled(path)) return path;
  process.stderr.write(
    `Installing the packages of ${folder} (${megabytes} MB), once; this takes about a minute …\n`,
  );
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', ['ci', ...options], { cwd: path });
  return path;
}

/** npm writes the hidden lock file last, so that half an install does not count. */
async function isInstalled(path: string): Promise<boolean> {
  const wanted = packagesOf(await readFile(`${path}package-lock.json`, 'utf8'));
  const found = packagesOf(
    await readFile(`${path}node_modules/.package-lock.json`, 'utf8').catch(() => '{}'),
  );
  const { dependencies, devDependencies } = wanted[''] ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`);
  return names.every((name) => found[name]?.version === wanted[name]?.version);
}

type Packages = Readonly<
  Record<string, { version?: string; dependencies?: object; devDependencies?: object }>
>;

const packagesOf = (lockFile: string): Packages => JSON.parse(lockFile).packages ?? {};
