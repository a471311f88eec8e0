import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

const setupFiles = ['test/support/after-each-file.ts'];

export default defineConfig({
  test: {
    // vitest itself would leave one core out, which on two is half of the machine. Scenarios wait for a third of their
    // time, so that two more of them than there are cores keep the cores at work.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/scenario/**', '**/node_modules/**'],
          setupFiles,
          globalSetup: ['test/support/shared-postgres-server.ts'],
          // Long enough for a machine that does other things: a test that hangs is found all the same.
          testTimeout: 30_000,
          // One process reads the modules for many files: a process per file took more time than the tests in it.
          isolate: false,
        },
      },
      {
        test: {
          name: 'scenario',
          include: ['test/scenario/**/*.test.ts'],
          setupFiles,
          globalSetup: ['test/support/scenario-setup.ts', 'test/support/shared-postgres-server.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
