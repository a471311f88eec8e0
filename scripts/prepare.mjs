/**
 * Builds the program when it is installed from its repository, which holds no built files: npm runs this after `npm ci`,
 * before `npm pack`, and when another project names the repository as a dependency. It is plain JavaScript, because it
 * also runs where the tools of the build are not installed (`npm ci --omit=dev`); there is nothing that it could do then.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsx = `${root}node_modules/tsx/dist/cli.mjs`;

if (existsSync(tsx)) {
  const { status } = spawnSync(process.execPath, [tsx, `${root}scripts/build.ts`], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else console.error('not built: the tools for it are not installed (npm ci installs them)');
