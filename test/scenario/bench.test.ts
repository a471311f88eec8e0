import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { inTorture } from '../support/torture.js';

/** In `npm test`, one row is measured, by a part of its name. */
const wanted = inTorture ? [] : ['match'];

interface Result {
  readonly name: string;
  readonly values: readonly number[];
  readonly behind?: Readonly<Record<string, readonly number[]>>;
}

/** Runs the benchmark in its tiny size. */
async function runBench(...args: string[]): Promise<{ said: string; complaints: string; code: number }> {
  const all = ['--import', 'tsx', 'scripts/bench.ts', '--quick', ...args];
  const bench = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, complaints, [code]] = await Promise.all([
    text(bench.stdout),
    text(bench.stderr),
    once(bench, 'exit'),
  ]);
  return { said, complaints, code };
}

test('the rows have figures, whatever they are', async () => {
  const file = join(await tempDir(), 'figures.json');
  const { said, complaints, code } = await runBench('--json', file, ...wanted);
  expect([code, complaints]).toEqual([0, '']);
  const { results } = JSON.parse(await readFile(file, 'utf8')) as { results: Result[] };
  expect(results.length).toBe(inTorture ? 14 : 1);
  for (const { name, values, behind = {} } of results) {
    expect(said).toContain(name);
    expect(values.length).toBeGreaterThan(0);
    for (const value of [...values, ...Object.values(behind).flat()])
      expect(Number.isFinite(value), `${name} has a figure that is none`).toBe(true);
  }
}, 480_000);
