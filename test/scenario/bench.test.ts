import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { inTorture } from '../support/torture.js';

/** In `npm test`, one row is measured, by a part of its name. */
const wanted = inTorture ? [] : ['match'];

test('the rows have figures, whatever they are', async () => {
  const bench = ['--import', 'tsx', 'scripts/bench.ts', '--quick', ...wanted];
  // Rejects where it ends with another code than 0.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, bench);
  expect(stderr).toBe('');
  const lines = stdout.match(/^\|.*/gm)?.slice(2) ?? [];
  expect(lines.length).toBe(inTorture ? 14 : 1);
  for (const line of lines) expect(line).toMatch(/^\| .+ \| [≤≥] [\d.]+ .+ \| [\d.,e+-]+ .*\|/);
}, 480_000);
