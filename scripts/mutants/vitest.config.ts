import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutants` runs: this environment variable has patterns of them, with commas between. */
const include = (process.env.MUTANTS_TESTS ?? '').split(',');

// What is changed on purpose is slower, too.
export default defineConfig({
  test: { include, testTimeout: 60_000, setupFiles: ['scripts/mutants/setup.ts'] },
});
