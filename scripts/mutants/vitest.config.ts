import { defineConfig } from 'vitest/config';
import { NEEDY } from '../../test/support/needs.js';

/** The folder of `MUTANTS=src/core npm run mutants`, whose tests alone are run; or patterns of tests, with commas between. */
const { MUTANTS = '', MUTANTS_TESTS } = process.env;
const ofFolder = ['test', 'test/acceptance'].map((top) => `${MUTANTS.replace(/^src/, top)}/**/*.test.ts`);

/** Nobody starts servers of others for them here. */
const exclude = NEEDY.flatMap(({ files }) => files);

// What is changed on purpose is slower, too.
export default defineConfig({
  test: {
    include: MUTANTS_TESTS?.split(',') ?? ofFolder,
    exclude,
    testTimeout: 60_000,
    // The seed stands in titles: a test whose title is another one each time is never found again.
    env: { TORTURE_SEED: '1' },
    setupFiles: ['scripts/mutants/setup.ts'],
  },
});
