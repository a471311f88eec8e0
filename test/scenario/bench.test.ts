import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { inTorture } from '../support/torture.js';

/** The rows of the issue, by the beginning of their names. */
const ROWS = [
  'shape query, different bodies',
  'shape query, different bodies, beside copies',
  'shape query, repeated bodies',
  'match, different bodies',
  'GET /c/<uri>',
  'conditional GET /component',
  'full listing, unchanged',
  'full listing, first after a change',
  'p99 of queries during a replacement',
  'longest event-loop stall',
  'replacing 5 %',
  'ingest of a document',
  'start to the first answer',
  'resident memory',
  'median latency',
  'idle round with a peer',
  '24 h of polls',
  'feed: asking in vain',
  'feed: one changed component',
  'feed: 100 changed components, each',
  'feed: 100 changed components, compressed',
  'feed: a hint to 1,000 readers',
  'feed: memory of 1,000 readers',
  'following: one changed component',
  'following: 100 changed components',
  'following: ten changed components',
  'following: first load',
  'news: an edit in a pod',
  'news: a POST to a node',
];

/** In `npm test`, one row is measured, by a part of its name. */
const wanted = inTorture ? [] : ['match'];

interface Result {
  readonly name: string;
  readonly values: readonly number[];
  readonly figures: Readonly<Record<string, readonly number[]>>;
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

test('the benchmark has every row', async () => {
  const { complaints, code } = await runBench('no such row');
  const [, ...names] = complaints.trim().split('\n');
  expect([code, names]).toEqual([2, ROWS.map((row) => expect.stringContaining(row))]);
});

test('its rows have figures, whatever they are', async () => {
  const file = join(await tempDir(), 'figures.json');
  const { said, complaints, code } = await runBench('--json', file, ...wanted);
  expect([code, complaints]).toEqual([0, '']);
  const { results } = JSON.parse(await readFile(file, 'utf8')) as { results: Result[] };
  expect(results).toHaveLength(wanted.length || ROWS.length);
  for (const { name, values, figures } of results) {
    expect(said).toContain(name);
    for (const value of [...values, ...Object.values(figures).flat()]) {
      expect(Number.isFinite(value), `${name} has a figure that is none`).toBe(true);
    }
    expect(values.length).toBeGreaterThan(0);
  }
}, 480_000);
