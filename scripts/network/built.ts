import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TOP = fileURLToPath(new URL('../../', import.meta.url));

/** The pages of the nodes load what the build makes for browsers; it is made here when it never was. */
export function ensureBuilt(tell: (line: string) => void): void {
  if (existsSync(`${TOP}dist/host.js`)) return;
  tell('building what browsers load, once …');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: TOP, stdio: 'inherit' });
}
