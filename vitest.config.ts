import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { canRun, missingHere, NEEDY } from './test/support/needs.js';
import { LONGEST_WAIT } from './test/support/wait-for.js';

/** `npm run test:unit`, for daily work: only tests that need nothing but Node.js, and take little of a core or of a disk. */
const onlyUnit = process.env.UNIT !== undefined;

/** Tests that have more rounds, or checks of their own, in `npm run torture`. */
const ofTorture = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
  .map((file) => `test/${file}`)
  .filter((file) => /\brounds\(|\binTorture\b|\battackedNode\(/.test(readFileSync(file, 'utf8')));

/** Tests that start servers of others in their own process, or take seconds. */
const LARGE = [
  ...ofTorture,
  'test/{acceptance,scenario,transfer,scripts/simulate}/**/*.test.ts',
  // Contracts, and what is measured or has thousands of rounds, often over sockets or on a disk.
  'test/**/*-{contract,cost,costs,limits}.test.ts',
  'test/keep/{level-keep,level-place}.test.ts',
  'test/node/{store-place,rehearse}.test.ts',
  'test/sync/peer/lying-feed.test.ts',
  'test/catalog/component-catalog.test.ts',
  'test/core/discovery.test.ts',
  'test/lib/http/server/{early-answer,turns}.test.ts',
  'test/lib/fetch/body-stream.test.ts',
  'test/publish/lint.test.ts',
];

/** Each project has processes of its own, which read the modules again: therefore all of `npm test` is one. */
const common = {
  // What `npm run sabotage` breaks in the modules that the tests load; programs that they start have it by `bareEnv`.
  setupFiles: [
    ...(process.env.SABOTAGE ? ['scripts/sabotage/setup.ts'] : []),
    'test/support/around-each-file.ts',
  ],
  globalSetup: 'test/support/shared-servers.ts',
  expect: { poll: { timeout: LONGEST_WAIT } },
  // A wait in vain ends before its test does, because it says what has not come.
  testTimeout: 5 * LONGEST_WAIT,
  hookTimeout: 5 * LONGEST_WAIT,
  // One process reads the modules, and starts a browser, for many files: a process per file took more time than the tests in it.
  isolate: false,
};

/** Files that are left out: here is not what they need. */
const skipped = NEEDY.filter((tests) => onlyUnit || !canRun(tests)).map(({ files }) => files);
const missing = missingHere();
if (missing.length > 0 && !onlyUnit)
  process.stderr.write(`Tests that are skipped here: ${missing.join(', ')}\n`);

/** One at a time: they measure. */
const torture = { test: { ...common, name: 'torture', fileParallelism: false, include: ofTorture } };

export default defineConfig({
  test: {
    // vitest itself would leave one core out, which on two is half of the machine. Scenarios wait for a third of their
    // time, so that two more of them than there are cores keep the cores at work; unit tests wait for nothing, and each
    // process reads the modules and has them compiled again.
    maxWorkers: availableParallelism() + (onlyUnit ? 0 : 2),
    sequence: { sequencer: LongestFirst },
    // Transformed modules are kept in `node_modules` from run to run, each under a hash of its content.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...common,
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...skipped, ...(onlyUnit ? LARGE : [])],
        },
      },
      ...(process.env.TORTURE === undefined ? [] : [torture]),
    ],
  },
});
