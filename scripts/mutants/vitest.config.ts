import { defineConfig } from 'vitest/config';
import { NEEDY } from '../../test/support/needs.js';

/** The tests that `npm run mutants` runs: this environment variable has patterns of them, with commas between. */
const include = (process.env.MUTANTS_TESTS ?? '').split(',');
/** Nobody starts servers for them here. */
const exclude = NEEDY.flatMap(({ files }) => files);

// What is changed on purpose is slower, too.
export default defineConfig({
  test: { include, exclude, testTimeout: 60_000, setupFiles: ['scripts/mutants/setup.ts'] },
});
