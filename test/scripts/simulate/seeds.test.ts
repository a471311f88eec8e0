import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inTorture, rounds, seed, tortureRow } from '../../support/torture.js';

const run = promisify(execFile);

const SEEDS = rounds({ short: 1, full: 1000 });
/** In `npm test`, the same is asked of a smaller network. */
const SIZE = inTorture
  ? '--nodes 20 --pods 6 --components 2 --degree 3'
  : '--nodes 5 --pods 4 --components 2 --degree 2';
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
async function simulate(from: number, seeds: number): Promise<string> {
  const kind = KINDS[((from - FIRST) / PORTION) % KINDS.length];
  const args = `${SIZE} ${kind} --faults all --seed ${from} --seeds ${seeds}`.split(' ').filter(Boolean);
  const program = ['--max-semi-space-size=64', '--import', 'tsx', 'scripts/simulate.ts'];
  return run('node', [...program, ...args], { maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`,
  );
}

it(
  `no rule is broken in ${SEEDS} simulated networks in which everything goes wrong (from seed ${FIRST})`,
  async () => {
    const portions = Array.from({ length: Math.ceil(SEEDS / PORTION) }, (_, i) => i * PORTION).values();
    let passed = 0;
    const broken: string[] = [];
    const work = async () => {
      for (const from of portions) {
        const seeds = Math.min(PORTION, SEEDS - from);
        const output = await simulate(FIRST + from, seeds);
        const sound = output.match(/no rule broken/g)?.length ?? 0;
        passed += sound;
        if (sound < seeds) broken.push(output.slice(Math.max(0, output.indexOf('RULE BROKEN'))));
      }
    };
    await Promise.all(Array.from({ length: inTorture ? availableParallelism() : 1 }, work));
    tortureRow('everything goes wrong', { networks: SEEDS, 'without a broken rule': passed });
    expect(broken).toEqual([]);
  },
  SEEDS * EACH,
);
