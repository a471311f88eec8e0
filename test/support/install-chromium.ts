import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** Where Debian's package puts it. */
export const CHROMIUM = '/usr/bin/chromium';

const run = promisify(execFile);

/** Installs the browser of the browser scenarios, unless it is there. @throws Error saying what to install, where that fails */
export async function installChromium(): Promise<void> {
  if (existsSync(CHROMIUM)) return;
  process.stderr.write('Installing chromium for the browser tests (once, by apt-get) …\n');
  try {
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium']);
  } catch (cause) {
    throw new Error(`the browser tests need ${CHROMIUM}: install the Debian package chromium`, { cause });
  }
}
