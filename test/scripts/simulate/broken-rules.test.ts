import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { type Mutation, mutant } from '../../support/mutant.js';
import { inTorture } from '../../support/torture.js';

const run = promisify(execFile);

/** Rules that are broken on purpose, in the sources, and what the simulation says of it. */
const BROKEN: Readonly<Record<string, { mutations: Mutation[]; args: string; seed: number; rule: string }>> =
  {
    'removals that peers tell of are dropped, and nothing is checked against their digests': {
      mutations: [
        {
          file: 'src/sync/peer/feed/staging.ts',
          from: 'else this.#remove(of, graph, uri);',
          to: 'else void this.#remove;',
        },
        {
          file: 'src/core/source-digests.ts',
          from: 'if (!expected) return;',
          to: 'return;',
        },
      ],
      args: '--faults none',
      seed: 11,
      rule: 'RULE BROKEN: nothing that its author has deleted',
    },
    'what a peer has from its peers is believed': {
      mutations: [
        { file: 'src/core/take.ts', from: "if (kind === 'taken') return { reason: 'passed-on' };", to: '' },
        { file: 'src/sync/peer/peer-source.ts', from: '{ kinds, hops: hops() }', to: '{}' },
      ],
      // Nothing has to happen for it.
      args: '--nodes 3 --pods 1 --degree 1 --hours 0 --bound 0.1',
      seed: 1,
      rule: 'RULE BROKEN: nothing that its author has deleted',
    },
    'the cursor is stored before the data': {
      mutations: [
        {
          file: 'src/sync/schedule/poll-writer.ts',
          from: 'const counts = await registry.commit(',
          to: 'await registry.commit({ source, documents: [], record }); const counts = await registry.commit(',
        },
      ],
      args: '--faults crash',
      seed: 8,
      rule: 'RULE BROKEN: every node answers',
    },
  };

/** Of the seeds from 1 to 50, those before the first that was known to find something are left out in `npm test`. */
const SIZE = '--nodes 4 --pods 2 --components 1 --degree 2 --join 0 --bound 1';
const LAST_SEED = 50;
const LONGEST_MS = 180_000;

/** What the simulation prints, and whether it has found that a rule is broken. */
async function simulate(mutations: readonly Mutation[], args: string) {
  const program = await mutant('scripts/simulate.ts', mutations);
  cleanup(() => rm(dirname(program), { recursive: true, force: true }));
  return run('node', [program, ...args.split(' ')]).then(
    ({ stdout }) => ({ stdout, isBroken: false }),
    ({ stdout, code }: { stdout: string; code: number }) => ({ stdout, isBroken: code === 1 }),
  );
}

describe('the simulation notices within 50 seeds when', () => {
  it.each(Object.entries(BROKEN))(
    '%s',
    async (_, { mutations, args, seed, rule }) => {
      const first = inTorture ? 1 : seed;
      const seeds = `--seed ${first} --seeds ${LAST_SEED + 1 - first}`;
      const { stdout, isBroken } = await simulate(mutations, `${SIZE} ${seeds} ${args}`);
      expect(stdout).toContain(rule);
      expect(stdout).toMatch(/npm run simulate -- .*--seed \d+ --replay/);
      expect(isBroken).toBe(true);
    },
    LONGEST_MS,
  );
});
