/**
 * `npm run mutants -- <folder of src/>`: changes each expression in the folder, one at a time, and counts the changes that
 * the tests of that folder alone notice (`src/core` by `test/core`; `src/http` by `test/http` and `test/acceptance/http`).
 * A change that no test notices is listed: it shows what the tests do not check. Nothing in the working tree is changed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const folder = (process.argv[2] ?? '').replace(/\/+$/, '');
const isThere = (path: string) => existsSync(join(TOP, path));
const tests = ['test', 'test/acceptance'].map((top) => folder.replace(/^src\b/, top)).filter(isThere);

if (!folder.startsWith('src/') || !isThere(folder) || tests.length === 0) {
  console.error(
    'npm run mutants -- src/core\n\nName a folder below src/ which has tests in the folder of the same name below test/.',
  );
  process.exitCode = 2;
} else {
  const args = ['run', 'scripts/mutants/stryker.config.json', '--mutate', `${folder}/**/*.ts`];
  const env = { ...process.env, MUTANTS_TESTS: tests.map((path) => `${path}/**/*.test.ts`).join() };
  const { status } = spawnSync(join(TOP, 'node_modules/.bin/stryker'), args, {
    cwd: TOP,
    env,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
