import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { SABOTAGE, SABOTAGE_MARK, SABOTAGE_REGISTER } from './planted.js';
import type { Rule } from './rule.js';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const VITEST = join(TOP, 'node_modules/.bin/vitest');
/** The rules, as a started program can load them. */
const PLANTED = join(TOP, 'node_modules/.cache/sabotage/planted.mjs');
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
export function runSuites(suites: readonly string[], broken?: Rule): Run {
  const scratch = mkdtempSync(join(tmpdir(), 'registry-sabotage-'));
  const [report, mark] = [join(scratch, 'vitest.json'), join(scratch, 'planted')];
  const register = `data:text/javascript,${encodeURIComponent(REGISTER)}`;
  const planted = broken && { [SABOTAGE]: broken.name, [SABOTAGE_MARK]: mark, [SABOTAGE_REGISTER]: register };
  const args = broken ? ['--bail=1', ...(broken.tests ? [`--testNamePattern=${broken.tests}`] : [])] : [];
  try {
    spawnSync(VITEST, ['run', '--reporter=json', `--outputFile=${report}`, ...args, ...suites], {
      cwd: TOP,
      env: { ...process.env, ...planted },
      stdio: 'ignore',
    });
    return {
      tests: existsSync(report) ? testsIn(readFileSync(report, 'utf8')) : [],
      isPlanted: existsSync(mark),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function testsIn(report: string): Run['tests'] {
  type Files = { name: string; assertionResults: { status: string; fullName: string }[] }[];
  const { testResults } = JSON.parse(report) as { testResults: Files };
  const tests = testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults.map(({ status, fullName: name }) => ({ file: relative(TOP, path), name, status })),
  );
  return tests
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ status, ...test }) => ({ ...test, passed: status === 'passed' }));
}
