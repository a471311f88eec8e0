/**
 * The test command: layers, lint, types and the build beside each other, then the tests, unless one of the checks
 * failed. The last line it prints is always `N passed, N failed`. Arguments go to vitest
 * (`npm test -- test/config.test.ts`). Unit tests alone (`UNIT=1`) need no build. With `CI=true` nothing may be
 * skipped: neither files because the programs that they need are missing here, nor a test.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseCLI, startVitest } from 'vitest/node';
import { missingHere } from '../test/support/needs.js';
import { countsIn, summary } from './test/counts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

type Step = readonly [heading: string, tool: string, ...args: string[]];

const inCi = process.env.CI === 'true';
const onlyUnit = process.env.UNIT !== undefined;

const CHECKS: readonly Step[] = [
  ['layers', 'tsx', 'scripts/layers.ts'],
  ['lint', 'biome', 'check', '--error-on-warnings', '.'],
  // One checker, because each of several checks anew what they have in common, and other steps use the cores meanwhile.
  ['types', 'tsc', '--build', 'tsconfig.test.json', 'test/host/tsconfig.json', '--checkers', '1'],
  ...(onlyUnit ? [] : [['build', 'tsx', 'scripts/build.ts'] as const]),
];

const checked = canRunAll() ? await Promise.all(CHECKS.map(passes)) : [false];
const files = checked.every(Boolean) ? await runTests().catch((error) => void console.error(error)) : [];
const counts = countsIn(files ?? []);
const isComplete = !inCi || counts.skipped === 0;
if (!isComplete) console.error('with CI=true no test may be skipped');
// Where anything has gone wrong in the tests or beside them, vitest has said so by the exit code.
const ok = counts.passed > 0 && process.exitCode === undefined && isComplete;
console.log(summary(counts, ok));
// At once, whatever a test may have left open.
process.exit(ok ? 0 : 1);

function canRunAll(): boolean {
  const missing = inCi && !onlyUnit ? missingHere() : [];
  if (missing.length === 0) return true;
  console.error(`with CI=true no tests may be skipped, but here is missing: ${missing.join(', ')}`);
  return false;
}

async function runTests() {
  const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
  return (await startVitest('test', filter, options)).state.getTestModules();
}

/** Runs a step. What it has to say is printed once it is done, because others run beside it. */
async function passes([heading, tool, ...args]: Step): Promise<boolean> {
  const started = performance.now();
  const program = join(ROOT, 'node_modules', '.bin', tool);
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = Promise.all([child.stdout, child.stderr].map((stream) => text(stream)));
  const ok = await once(child, 'exit').then(
    ([code]) => code === 0,
    (error) => console.error(error.message),
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `\n# ${heading}\n${(await output).join('')}${heading} ${ok ? 'ok' : 'FAILED'} after ${seconds} s`,
  );
  return ok === true;
}
