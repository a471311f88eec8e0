import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { sabotagePlugins } from './scripts/sabotage/vite-plugin.js';
import { LongestFirst } from './test/support/longest-first.js';
import { canRun, missingHere, NEEDY } from './test/support/needs.js';
import { LONGEST_WAIT } from './test/support/wait-for.js';

const setupFiles = ['test/support/after-each-file.ts'];
const patient = { poll: { timeout: LONGEST_WAIT } };
const servers = 'test/support/shared-servers.ts';

/** Tests without nodes as processes that start servers of others, or take seconds of a core or of a disk: not for daily work. */
const LARGE = [
  'test/transfer/**/*.test.ts',
  'test/scripts/simulate/**/*.test.ts',
  'test/keep/{level-keep,level-place}.test.ts',
  'test/registry/{level,repair}.test.ts',
  'test/node/{given,rehearse}.test.ts',
  'test/sync/discovery/decisions.test.ts',
  'test/http/{linear-cost,request-costs}.test.ts',
  'test/sync/{history,peer/lying-feed}.test.ts',
  // Contracts and properties with thousands of rounds, many of them over sockets.
  'test/catalog/{component-catalog,catalog-costs}.test.ts',
  'test/core/discovery.test.ts',
  'test/sync/**/*-contract.test.ts',
  'test/sync/pod/pod-limits.test.ts',
  'test/lib/http/server/{early-answer,turns}.test.ts',
  'test/lib/fetch/body-stream.test.ts',
  'test/publish/lint.test.ts',
  // Acceptance tests in folders speak HTTP with what an adapter makes in their own process.
  'test/acceptance/*/**/*.test.ts',
];

const inProcess = {
  setupFiles,
  expect: patient,
  // A wait in vain ends before its test does, because it says what has not come.
  testTimeout: 2 * LONGEST_WAIT,
  hookTimeout: 2 * LONGEST_WAIT,
  // One process reads the modules for many files: a process per file took more time than the tests in it.
  isolate: false,
};

/** What runs nodes and the built program, with pod servers and browsers beside them. */
const withNodes = {
  // As in `inProcess`; a browser, too, starts once for each process and not for each file.
  isolate: false,
  setupFiles,
  expect: patient,
  globalSetup: ['test/support/scenario-setup.ts', servers],
  testTimeout: 5 * LONGEST_WAIT,
  hookTimeout: 5 * LONGEST_WAIT,
};

/** In which of the other projects a file would be, did it not need more than Node.js. */
const needy = NEEDY.flatMap(({ files }) => files);
const missing = missingHere();
if (missing.length > 0) process.stderr.write(`Tests that are skipped here: ${missing.join(', ')}\n`);

/** A rule that `npm run sabotage` breaks, in the modules that the tests load; programs that they start have it by `bareEnv`. */
const plugins = sabotagePlugins();

/** Tests that need a database, a browser, a mount or other servers; only those for which all is here. */
const needyProjects = [...new Set(NEEDY.map(({ project }) => project))].flatMap((name) => {
  const include = NEEDY.filter((tests) => tests.project === name && canRun(tests)).flatMap(
    ({ files }) => files,
  );
  const how = name === 'database' ? { ...inProcess, globalSetup: [servers] } : withNodes;
  return include.length === 0 ? [] : [{ plugins, test: { ...how, name, include } }];
});

/** Tests that have more rounds, or checks of their own, in `npm run torture`. One at a time: they measure. */
const torture = () => ({
  plugins,
  test: {
    ...withNodes,
    name: 'torture',
    fileParallelism: false,
    include: readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => `test/${file}`)
      .filter((file) => /\brounds\(|\binTorture\b|\bAttackedNode\b/.test(readFileSync(file, 'utf8'))),
  },
});

export default defineConfig({
  test: {
    // vitest itself would leave one core out, which on two is half of the machine. Scenarios wait for a third of their
    // time, so that two more of them than there are cores keep the cores at work.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Transformed modules are kept in `node_modules` from run to run, each under a hash of its content.
    experimental: { fsModuleCache: plugins.length === 0 },
    projects: [
      {
        plugins,
        test: {
          ...inProcess,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{acceptance,scenario}/**', '**/node_modules/**', ...LARGE, ...needy],
        },
      },
      { plugins, test: { ...inProcess, name: 'large', include: LARGE, globalSetup: [servers] } },
      {
        plugins,
        test: {
          ...withNodes,
          name: 'acceptance',
          include: ['test/{acceptance,scenario}/*.test.ts'],
          exclude: needy,
        },
      },
      ...needyProjects,
      ...(process.env.TORTURE === undefined ? [] : [torture()]),
    ],
  },
});
