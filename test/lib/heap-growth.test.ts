import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../src/lib/heap-growth.ts', import.meta.url));
const LT_HASH = fileURLToPath(new URL('../../src/lib/lt-hash.ts', import.meta.url));

/** Keeps 50 MB alive, makes several times that of what is thrown away after a while, and says how many MB the heap had at most. */
const PROGRAM = `
  import { boundHeapGrowth } from ${JSON.stringify(MODULE)};
  if (process.argv.includes('bounded')) boundHeapGrowth();
  const list = () => Array.from({ length: 1000 }, (_, i) => ({ i }));
  const alive = Array.from({ length: 1000 }, list);
  const lately = [];
  let most = 0;
  for (let i = 0; i < 8000; i++) {
    lately[i % 400] = list();
    if (i % 100 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
  }
  process.stdout.write(String(Math.round(most / 1e6) + 0 * alive.length));
`;

/** Makes what holds memory beside the heap, and says how many MB the process had at most beyond what it had before. */
const BESIDE = `
  import { boundHeapGrowth } from ${JSON.stringify(MODULE)};
  import { LtHash } from ${JSON.stringify(LT_HASH)};
  if (process.argv.includes('bounded')) boundHeapGrowth();
  const set = LtHash.empty();
  for (let i = 0; i < 100; i++) set.add(String(i));
  const before = process.memoryUsage.rss();
  let most = before;
  for (let i = 0; i < 12_000; i++) {
    set.add(String(i));
    if (i % 100 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  process.stdout.write(String(Math.round((most - before) / 1e6)));
`;

async function mostMb(code: string, ...args: string[]): Promise<number> {
  const program = ['--import', 'tsx', '--input-type=module', '-e', code, '--', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  return Number(stdout);
}

test('a heap with much garbage is tidied before it is much larger than what is alive', async () => {
  const [bounded, unbounded] = await Promise.all([mostMb(PROGRAM, 'bounded'), mostMb(PROGRAM)]);
  expect(bounded).toBeLessThan(unbounded * 0.8);
});

test('what objects that are done with hold beside the heap does not add up', async () => {
  const [bounded, unbounded] = await Promise.all([mostMb(BESIDE, 'bounded'), mostMb(BESIDE)]);
  expect(bounded).toBeLessThan(unbounded * 0.7);
});
