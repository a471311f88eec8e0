import { join } from 'node:path';
import type { Clone } from './clone.js';
import { run } from './run.js';

/** The package as npm would publish it. npm gives all files of a tarball one fixed time. @returns the path of the file */
export function packTarball({ folder }: Clone, out: string): string {
  // The program was built when its dependencies were installed.
  const printed = run(
    { cwd: folder },
    'npm',
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    out,
  );
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf('[')));
  return join(out, filename);
}
