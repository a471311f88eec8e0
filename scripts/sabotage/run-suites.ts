import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REGISTER } from './compiled.js';
import { SABOTAGE, SABOTAGE_MARK, SABOTAGE_REGISTER } from './planted.js';
import type { Rule } from './rule.js';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = join(TOP, 'node_modules/.bin/vitest');

export interface SuiteOutcome {
  readonly passed: number;
  /** The full names of the tests that failed. */
  readonly failed: readonly string[];
}

export interface Run {
  /** By the absolute path of the test file; those that could not be loaded have no tests. */
  readonly files: ReadonlyMap<string, SuiteOutcome>;
  /** Was the broken module loaded? */
  readonly isPlanted: boolean;
}

/** Runs test files. `broken`: the rule that is broken meanwhile, if any; the first test that notices ends the run. */
export function runSuites(suites: readonly string[], broken?: Rule): Run {
  const scratch = mkdtempSync(join(tmpdir(), 'registry-sabotage-'));
  const [report, mark] = [join(scratch, 'vitest.json'), join(scratch, 'planted')];
  const planted = { [SABOTAGE]: broken?.name, [SABOTAGE_MARK]: mark, [SABOTAGE_REGISTER]: REGISTER };
  try {
    const only = broken?.tests === undefined ? [] : [`--testNamePattern=${broken.tests}`];
    const args = broken === undefined ? [] : ['--bail=1', ...only];
    spawnSync(VITEST, ['run', '--reporter=json', `--outputFile=${report}`, ...args, ...suites], {
      cwd: TOP,
      env: { ...process.env, ...(broken === undefined ? {} : planted) },
      stdio: 'ignore',
    });
    return { files: outcomesIn(report), isPlanted: existsSync(mark) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function outcomesIn(report: string): Run['files'] {
  if (!existsSync(report)) return new Map();
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  return new Map(
    testResults.map(({ name, assertionResults }) => {
      const named = (status: string) =>
        assertionResults.filter((test) => test.status === status).map(({ fullName }) => fullName);
      return [name, { passed: named('passed').length, failed: named('failed') }];
    }),
  );
}
