/**
 * The test command: layers, lint, types and the build beside each other, then the tests, unless one of the checks
 * failed. The last line it prints is always `N passed, N failed`. Arguments go to vitest
 * (`npm test -- test/config.test.ts`). Unit tests alone (`UNIT=1`) need no build. With `CI=true` nothing may be
 * skipped: neither files because the programs that they need are missing here, nor a test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missingHere } from '../test/support/needs.js';
import { countsIn, summary } from './test/counts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'registry-test-'));
const report = join(scratch, 'vitest.json');

type Step = readonly [heading: string, tool: string, ...args: string[]];

const inCi = process.env.CI === 'true';
const onlyUnit = process.env.UNIT !== undefined;

const CHECKS: readonly Step[] = [
  ['layers', 'tsx', 'scripts/layers.ts'],
  ['lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['types', 'tsc', '--noEmit', '-p', 'tsconfig.test.json', ...incremental('node')],
  ['types of browser code', 'tsc', '-p', 'test/host/tsconfig.json', ...incremental('browser')],
  ...(onlyUnit ? [] : [['build', 'tsx', 'scripts/build.ts'] as const]),
];

const TESTS: Step = [
  'tests',
  ...(['vitest', 'run', '--reporter=default', '--reporter=json'] as const),
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
];

/**
 * What is unchanged since the last check is not checked again. One checker, because each of several checks anew what
 * they have in common, and other steps use the cores meanwhile.
 */
function incremental(name: string): string[] {
  const file = join(ROOT, 'node_modules', '.cache', 'types', `${name}.tsbuildinfo`);
  return ['--checkers', '1', '--incremental', '--tsBuildInfoFile', file];
}

try {
  const checked = canRunAll() ? await Promise.all(CHECKS.map((step) => passes(step, 'together'))) : [false];
  const passed = checked.every(Boolean) && (await passes(TESTS, 'as it comes'));
  const counts = countsIn(report);
  const isComplete = !inCi || counts.skipped === 0;
  if (!isComplete) console.error('with CI=true no test may be skipped');
  console.log(summary(counts, passed && isComplete));
  process.exitCode = passed && isComplete ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function canRunAll(): boolean {
  const missing = inCi && !onlyUnit ? missingHere() : [];
  if (missing.length === 0) return true;
  console.error(`with CI=true no tests may be skipped, but here is missing: ${missing.join(', ')}`);
  return false;
}

/** Runs a step. Steps that run beside others print `together` what they have to say, once they are done. */
async function passes([heading, tool, ...args]: Step, prints: 'together' | 'as it comes'): Promise<boolean> {
  const started = performance.now();
  const together = prints === 'together';
  if (!together) console.log(`\n# ${heading}`);
  const stdio = together ? 'pipe' : 'inherit';
  const program = join(ROOT, 'node_modules', '.bin', tool);
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', stdio, stdio] });
  const output = Promise.all([child.stdout, child.stderr].map((stream) => stream && text(stream)));
  const ok = await once(child, 'exit').then(
    ([code]) => code === 0,
    (error) => console.error(error.message),
  );
  const said = together ? `\n# ${heading}\n${(await output).join('')}` : '';
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${said}${heading} ${ok ? 'ok' : 'FAILED'} after ${seconds} s`);
  return ok === true;
}
