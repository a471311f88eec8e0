import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { BEGIN } from '../../../scripts/simulate/faults.js';
import { simulate } from '../../../scripts/simulate/run.js';
import { inTorture, rounds, seed } from '../../support/torture.js';

const SEEDS = rounds({ short: 1, full: 1000 });
/** Seeds that one process tries, because its start takes a while. */
const PORTION = Math.min(SEEDS, 10);
/**
 * They take turns: nodes that know few pods, so that they take more from one another; nodes of two processes, which share a
 * database; and neither. Of options that are given twice, the last one counts.
 */
const KINDS = ['', '--processes 2 --nodes 6 --pods 2', '--set discovery.depth=1'];
/** In `npm test`, the same is asked of a smaller network. */
const SMALL = { nodes: 4, pods: 3, components: 2, degree: 2, processes: 1, config: {} };

const run = promisify(execFile);

/** Ms that a seed may take, in torture on a machine that does other things. */
const EACH = 600_000;

// Seeds are small numbers, so that they are read easily.
const FIRST = seed % 100_000;

const NO_RULE = 'no rule is broken in simulated networks in which everything goes wrong';

if (inTorture) {
  const program = '--max-semi-space-size=64 --import tsx scripts/simulate.ts --faults all';
  const portions = Array.from({ length: Math.ceil(SEEDS / PORTION) }, (_, i) => {
    const size = `--nodes 20 --pods 6 --components 2 --degree 3 ${KINDS[i % KINDS.length]}`;
    return `${size} --seeds ${PORTION} --seed ${FIRST + i * PORTION}`;
  });
  const tried = async (options: string) => {
    const args = `${program} ${options}`.split(/ +/);
    const { stdout } = await run('node', args, { maxBuffer: 2 ** 26 }).catch((broken) => {
      throw new Error(`${broken.stdout}\n${broken.stderr}`);
    });
    expect(stdout.match(/no rule broken/g)).toHaveLength(PORTION);
  };
  it.concurrent.each(portions)(`${NO_RULE}: %s`, tried, PORTION * EACH);
} else {
  const again = `npm run simulate -- --faults all --nodes 4 --pods 3 --components 2 --degree 2 --seed ${FIRST}`;
  const tried = async () => {
    const result = await simulate({ ...SMALL, seed: FIRST, hours: 1, faults: BEGIN });
    expect('failure' in result ? result.failure : undefined).toBeUndefined();
  };
  it(`${NO_RULE} (${again})`, tried, EACH);
}
