import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { prepareStarter } from '../../src/cli/prepare-starter.js';
import { installClients, installLdesClient, installPodServer, installStarter } from './install-packages.js';

const TOP = fileURLToPath(new URL('../../', import.meta.url));

/** Installs and builds the starter set, unless it is there as it is in the sources. */
async function buildStarter(): Promise<void> {
  await installStarter();
  await prepareStarter(pathToFileURL(TOP), () => undefined);
}

/** Once before the scenarios: they run the node as it ships, with a real pod server and clients of others. */
export async function setup(): Promise<void> {
  if (!(await isBuilt())) await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: TOP });
  await Promise.all([installPodServer(), installClients(), installLdesClient(), buildStarter()]);
}

async function isBuilt(): Promise<boolean> {
  const main = join(TOP, 'dist/main.js');
  if (!existsSync(main)) return false;
  const built = (await stat(main)).mtimeMs;
  const sources = await readdir(join(TOP, 'src'), { recursive: true, withFileTypes: true });
  const times = sources.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mtimeMs);
  return Math.max(...(await Promise.all(times))) <= built;
}
