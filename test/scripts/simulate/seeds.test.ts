import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { mutant } from '../../support/mutant.js';
import { inTorture, rounds, seed, tortureRow } from '../../support/torture.js';

const run = promisify(execFile);

const SEEDS = rounds({ short: 2, full: 1000 });
/** In `npm test`, the same is asked of a smaller network. */
const SIZE = inTorture
  ? '--nodes 20 --pods 6 --components 2 --degree 3 --join 0'
  : '--nodes 5 --pods 4 --components 2 --degree 2 --join 0';
/** Seeds that one process tries, so that there is always something to do for all cores. */
const PORTION = inTorture ? 10 : 1;
/**
 * Portions take turns: nodes that know few pods, so that they take more from one another; nodes of two processes, which share a
 * database; and neither.
 */
const KINDS = [
  '',
  `--processes 2 --nodes ${inTorture ? 6 : 2} --pods 2${inTorture ? '' : ' --degree 1'}`,
  '--set discovery.depth=1',
];
/** Ms that a seed may take, in torture on a machine that does other things. */
const EACH = 120_000;

// Seeds are small numbers, so that they are read easily.
const FIRST = seed % 100_000;

/** What a process prints that simulates these networks. */
async function simulate(program: string, from: number, seeds: number): Promise<string> {
  const kind = KINDS[((from - FIRST) / PORTION) % KINDS.length];
  const args = `${SIZE} ${kind} --faults all --seed ${from} --seeds ${seeds}`.split(' ').filter(Boolean);
  const options = { maxBuffer: 2 ** 26 };
  return run('node', ['--max-semi-space-size=64', program, ...args], options).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`,
  );
}

it(
  `no rule is broken in ${SEEDS} simulated networks in which everything goes wrong (from seed ${FIRST})`,
  async () => {
    const program = await mutant('scripts/simulate.ts', []);
    cleanup(() => rm(dirname(program), { recursive: true, force: true }));
    const portions = Array.from({ length: Math.ceil(SEEDS / PORTION) }, (_, i) => i * PORTION).values();
    let passed = 0;
    const broken: string[] = [];
    const work = async () => {
      for (const from of portions) {
        const output = await simulate(program, FIRST + from, Math.min(PORTION, SEEDS - from));
        passed += output.match(/no rule broken/g)?.length ?? 0;
        if (output.includes('RULE BROKEN')) broken.push(output.slice(output.indexOf('RULE BROKEN')));
      }
    };
    await Promise.all(Array.from({ length: inTorture ? availableParallelism() : 1 }, work));
    tortureRow('everything goes wrong', { networks: SEEDS, 'without a broken rule': passed });
    expect(broken).toEqual([]);
    expect(passed).toBe(SEEDS);
  },
  SEEDS * EACH,
);
