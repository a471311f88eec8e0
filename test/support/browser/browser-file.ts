import { existsSync } from 'node:fs';

/** Where Debian's packages put them: the one without windows takes a quarter of the processor time of the other. */
export const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** The browser of the browser tests. @throws Error saying what to install where there is none */
export function browserFile(): string {
  const file = BROWSERS.find(existsSync);
  if (file === undefined) throw new Error('no browser: apt-get install chromium-headless-shell');
  return file;
}
