import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prepareStarter } from '../../src/cli/prepare-starter.js';
import { TOP, TOP_FOLDER } from './docs.js';

/** Builds the program and the starter set, unless they are there: acceptance tests run them as they ship. */
export async function prepareProgram(): Promise<void> {
  // What compilers find wrong goes to stdout, and only stderr is in the error of a command that fails.
  if (!(await isBuilt())) await promisify(execFile)('sh', ['-c', 'npm run --silent build >&2'], { cwd: TOP });
  await prepareStarter(TOP_FOLDER, () => undefined);
}

async function isBuilt(): Promise<boolean> {
  const changed = async (path: string) => (await stat(path).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
  const sources = await readdir(join(TOP, 'src'), { recursive: true, withFileTypes: true });
  const times = await Promise.all(sources.map((entry) => changed(join(entry.parentPath, entry.name))));
  return Math.max(...times) <= (await changed(join(TOP, 'dist/main.js')));
}
