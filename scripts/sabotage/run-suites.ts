import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { startVitest } from 'vitest/node';
import type { Rule } from './rule.js';

/** The rules, as a started program can load them. */
const PLANTED = fileURLToPath(new URL('../../node_modules/.cache/sabotage/planted.mjs', import.meta.url));
/** What `node --import` runs before a program. */
const REGISTER = `import { register } from 'node:module'; register('${pathToFileURL(PLANTED)}');`;

export async function compileRules(): Promise<void> {
  const planted = fileURLToPath(new URL('planted.ts', import.meta.url));
  const how = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  await build({ entryPoints: [planted], outfile: PLANTED, ...how, logLevel: 'warning' });
}

export interface Run {
  /** The tests that passed or failed; a file that could not be loaded has none. */
  readonly tests: readonly { readonly file: string; readonly name: string; readonly passed: boolean }[];
  /** Was the broken module loaded? */
  readonly isPlanted: boolean;
}

/** Runs test files. `broken`: the rule that is broken meanwhile, if any; the first test that notices ends the run. */
export async function runSuites(suites: readonly string[], broken?: Rule): Promise<Run> {
  const scratch = mkdtempSync(join(tmpdir(), 'registry-sabotage-'));
  const mark = join(scratch, 'planted');
  const register = `data:text/javascript,${encodeURIComponent(REGISTER)}`;
  // The processes of the tests have it from this one.
  const planted = { SABOTAGE: broken?.name, SABOTAGE_MARK: mark, SABOTAGE_REGISTER: register };
  if (broken) Object.assign(process.env, planted);
  const untilNoticed = broken && { bail: 1, ...(broken.tests ? { testNamePattern: broken.tests } : {}) };
  try {
    const { state } = await startVitest('test', [...suites], { run: true, reporters: [{}], ...untilNoticed });
    const tests = state
      .getTestModules()
      .flatMap(({ relativeModuleId: file, children }) =>
        [...children.allTests()].map((test) => ({ file, name: test.fullName, state: test.result().state })),
      );
    const ran = tests.filter(({ state }) => state === 'passed' || state === 'failed');
    return {
      tests: ran.map(({ state, ...test }) => ({ ...test, passed: state === 'passed' })),
      isPlanted: existsSync(mark),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
