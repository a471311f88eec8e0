import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** The rows of the issue, by the beginning of their names. */
const ROWS = [
  'shape query, different bodies',
  'shape query, repeated bodies',
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

interface Result {
  readonly name: string;
  readonly values: readonly number[];
  readonly figures: Readonly<Record<string, readonly number[]>>;
}

test('the benchmark produces every row in its tiny size, whatever the figures are', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'registry-bench-test-'));
  try {
    const file = join(directory, 'figures.json');
    const args = ['--import', 'tsx', 'scripts/bench.ts', '--quick', '--json', file];
    const bench = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, complaints, [code]] = await Promise.all([
      text(bench.stdout),
      text(bench.stderr),
      once(bench, 'exit'),
    ]);
    expect([code, complaints]).toEqual([0, '']);
    const { results } = JSON.parse(await readFile(file, 'utf8')) as { results: Result[] };
    expect(results.map(({ name }) => name)).toEqual(ROWS.map((row) => expect.stringContaining(row)));
    for (const { name, values, figures } of results) {
      expect(said).toContain(name);
      for (const value of [...values, ...Object.values(figures).flat()]) {
        expect(Number.isFinite(value), `${name} has a figure that is none`).toBe(true);
      }
      expect(values.length).toBeGreaterThan(0);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 480_000);
