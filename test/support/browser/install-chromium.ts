import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** Where Debian's packages put them: the one without windows takes a quarter of the processor time of the other. */
const HEADLESS = { file: '/usr/bin/chromium-headless-shell', package: 'chromium-headless-shell' };
const CHROMIUM = '/usr/bin/chromium';

const run = promisify(execFile);

/** The browser of the browser scenarios. */
export const browserFile = (): string => (existsSync(HEADLESS.file) ? HEADLESS.file : CHROMIUM);

/** Installs the browser, unless it is there. @throws Error saying what to install, where that fails and there is none */
export async function installChromium(): Promise<void> {
  if (existsSync(HEADLESS.file)) return;
  process.stderr.write('Installing chromium-headless-shell for the browser tests (once, by apt-get) …\n');
  try {
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '--yes', '--no-install-recommends', HEADLESS.package]);
  } catch (cause) {
    if (existsSync(CHROMIUM)) return;
    throw new Error(`the browser tests need ${CHROMIUM}: install the Debian package chromium`, { cause });
  }
}
