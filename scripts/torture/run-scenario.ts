import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countsIn, type TestCounts } from '../test/counts.js';
import type { TortureOptions } from './command-line.js';
import type { Scenario } from './scenarios.js';

const TOP = fileURLToPath(new URL('../../', import.meta.url));

/** A line that a scenario adds to the table: the attack and its figures. */
export type Row = Readonly<Record<string, string | number>>;

export interface Outcome extends TestCounts {
  readonly scenario: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly rows: readonly Row[];
  /** What the tests wrote, to be shown when they failed. */
  readonly output: string;
}

/** Runs the test file of a scenario with these rounds and this seed. */
export async function runScenario(
  { name, file, tests }: Scenario,
  { rounds, seed }: Omit<TortureOptions, 'scenarios'>,
): Promise<Outcome> {
  const scratch = mkdtempSync(join(tmpdir(), 'registry-torture-'));
  const report = join(scratch, 'vitest.json');
  const rows = join(scratch, 'rows.jsonl');
  const started = performance.now();
  try {
    const { code, output } = await vitest([file, ...(tests ? ['-t', tests] : [])], report, {
      TORTURE_ROUNDS: String(rounds ?? 'full'),
      TORTURE_SEED: String(seed),
      TORTURE_ROWS: rows,
    });
    const counts = countsIn(report);
    // A file without tests shows nothing.
    const ok = code === 0 && counts.failed === 0 && counts.passed > 0;
    const seconds = (performance.now() - started) / 1000;
    return { scenario: name, ok, seconds, ...counts, rows: rowsIn(rows), output };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function vitest(
  args: readonly string[],
  report: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(join(TOP, 'node_modules/.bin/vitest'), ['run', ...reporters, ...args], {
    cwd: TOP,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

function rowsIn(file: string): Row[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Row);
}
