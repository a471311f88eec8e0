/**
 * The test command: layers, lint, types, build, then the tests. Stops at the first step that fails; the last
 * line it prints is always `N passed, N failed`. Arguments go to vitest (`npm test -- test/config.test.ts`).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsIn, summary } from './test/counts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'registry-test-'));
const report = join(scratch, 'vitest.json');

const STEPS: readonly (readonly [heading: string, tool: string, ...args: string[]])[] = [
  ['layers', 'tsx', 'scripts/layers.ts'],
  ['lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['types', 'tsc', '--noEmit', '-p', 'tsconfig.test.json'],
  ['types of browser code', 'tsc', '-p', 'test/host/tsconfig.json'],
  ['build', 'tsx', 'scripts/build.ts'],
  [
    'tests',
    ...(['vitest', 'run', '--reporter=default', '--reporter=json'] as const),
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
];

try {
  const failed = STEPS.find((step) => !passes(step));
  console.log(summary(countsIn(report), failed === undefined));
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function passes([heading, tool, ...args]: (typeof STEPS)[number]): boolean {
  console.log(`\n# ${heading}`);
  const started = performance.now();
  const bin = join(ROOT, 'node_modules', '.bin', tool);
  const { status, error } = spawnSync(bin, args, { cwd: ROOT, stdio: 'inherit' });
  if (error) console.error(error.message);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${heading} ${status === 0 ? 'ok' : 'FAILED'} after ${seconds} s`);
  return status === 0;
}
