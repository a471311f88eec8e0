import { defineConfig } from 'vitest/config';

/** The folder of `npm run mutants -- src/core`, whose tests alone are run; or patterns of tests, with commas between. */
const { MUTANTS = '', MUTANTS_TESTS } = process.env;
const ofFolder = ['test', 'test/acceptance'].map((top) => `${MUTANTS.replace(/^src/, top)}/**/*.test.ts`);

// What is changed on purpose is slower, too.
export default defineConfig({
  test: {
    include: MUTANTS_TESTS?.split(',') ?? ofFolder,
    testTimeout: 60_000,
    setupFiles: ['scripts/mutants/setup.ts'],
  },
});
