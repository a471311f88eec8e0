import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { type Mutation, mutant } from '../../support/mutant.js';
import { inTorture } from '../../support/torture.js';

const run = promisify(execFile);
const TOP = fileURLToPath(new URL('../../../', import.meta.url));

/** Nodes of two processes, which share a database. */
const CLUSTERS = '--nodes 2 --degree 1 --processes 2';

/** Rules that are broken on purpose, in the sources, and what the simulation says of it. */
const BROKEN: Readonly<Record<string, { mutations: Mutation[]; args: string; seed: number; rule: string }>> =
  {
    'a document that fails is taken for a deleted one': {
      mutations: [
        {
          file: 'src/sync/pod/pod-reader.ts',
          from: "if (reading.kind === 'withdrawn') return this.#polling.stored.has(url) ? url",
          to: "if (reading.kind === 'withdrawn' || reading.kind === 'failed') return this.#polling.stored.has(url) ? url",
        },
      ],
      args: '--components 4 --faults loss,pod-flapping',
      seed: 1,
      rule: 'RULE BROKEN: what a source has said stays',
    },
    'a pod that says that it holds nothing is believed at once': {
      mutations: [
        {
          file: 'src/core/shrink-guard.ts',
          from: 'return from - to > TOLERATED.components && to < from * TOLERATED.part;',
          to: 'return false;',
        },
      ],
      args: '--pods 1 --components 24 --faults pod-emptied',
      seed: 1,
      rule: 'RULE BROKEN: what a source has said stays',
    },
    'what peers say is not checked against their digests': {
      mutations: [{ file: 'src/core/source-digests.ts', from: 'if (!expected) return;', to: 'return;' }],
      args: '--nodes 5 --set discovery.depth=1 --faults leaky-feed',
      seed: 2,
      rule: 'RULE BROKEN: every node answers',
    },
    'removals that peers tell of are dropped': {
      mutations: [
        {
          file: 'src/sync/peer/feed/feed-run.ts',
          from: 'else if (!this.#isWhole) this.#remove(said, uri);',
          to: 'else if (!this.#isWhole) void this.#remove;',
        },
      ],
      args: '--nodes 5 --set discovery.depth=1 --hours 3 --faults none',
      seed: 1,
      rule: 'RULE BROKEN: peers are read anew only where',
    },
    'the cursor is stored before the data': {
      mutations: [
        {
          file: 'src/sync/poll.ts',
          from: 'const counts = await this.#polling.registry.commit(',
          to: `const { registry } = this.#polling;
            await registry.commit({ source: this.#reader.source, documents: [], record: change.record });
            const counts = await registry.commit(`,
        },
      ],
      args: '--faults crash',
      seed: 8,
      rule: 'RULE BROKEN: every node answers',
    },
    'what a peer has from its peers is believed': {
      mutations: [
        { file: 'src/core/take.ts', from: "if (kind === 'taken') return { reason: 'passed-on' };", to: '' },
      ],
      // Nothing has to happen for it.
      args: '--nodes 3 --pods 1 --degree 1 --hours 0 --bound 0.1',
      seed: 1,
      rule: 'RULE BROKEN: peers are read anew only where',
    },
    'a node keeps the leases of sources that it has polled': {
      mutations: [
        {
          file: 'src/sync/leased.ts',
          from: '      await lease.release();',
          to: '    void lease;',
        },
      ],
      args: `${CLUSTERS} --faults none`,
      seed: 1,
      rule: 'RULE BROKEN: every node answers',
    },
    'what follows from peers is not worked out again when the database has lost it': {
      mutations: [
        {
          file: 'src/sync/synchronisation.ts',
          from: 'if (revision.epoch === epoch) return;',
          to: 'return;',
        },
      ],
      args: `${CLUSTERS} --components 2 --faults failover,churn --bound 2`,
      seed: 13,
      rule: 'RULE BROKEN: every node answers',
    },
    'a node that was paused stores what it had read, although another has the lease': {
      mutations: [
        {
          file: 'src/keep/local-service.ts',
          from: 'if (lease && this.#leases.get(lease.name)?.fence !== lease.fence) throw new LeaseLost(lease.name);',
          to: '',
        },
      ],
      args: `${CLUSTERS} --faults pause`,
      seed: 1,
      rule: 'RULE BROKEN: of two readings of a source',
    },
    'nodes go on with what they have shown when the database has lost it': {
      mutations: [
        {
          file: 'src/registry/registry-data.ts',
          from: 'replace(loaded: LoadedData): void {\n    this.#now = loaded;\n    this.#show();',
          to: 'replace(loaded: LoadedData): void {\n    this.#now = loaded;',
        },
      ],
      args: `${CLUSTERS} --faults failover`,
      seed: 1,
      rule: 'RULE BROKEN: what a database has lost',
    },
  };

/** Runs that look for a shorter history. */
const SHORTEN = inTorture ? 60 : 1;
const SIZE = '--nodes 4 --pods 2 --components 1 --degree 2 --join 0 --bound 1';
const LAST_SEED = 20;
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

/** In `npm test`, those of databases, and of the seeds from 1 to 20 only those from the first that was known to find something. */
const TRIED = Object.entries(BROKEN).slice(inTorture ? 0 : -2);

it.each(Object.entries(BROKEN))('%s: the sources have what is broken', async (_, { mutations }) => {
  for (const { file, from } of mutations) expect(await readFile(TOP + file, 'utf8')).toContain(from);
});

describe('the simulation notices within 20 seeds when', () => {
  it.each(TRIED)(
    '%s',
    async (_, { mutations, args, seed, rule }) => {
      const first = inTorture ? 1 : seed;
      const seeds = `--seed ${first} --seeds ${LAST_SEED + 1 - first}`;
      const { stdout, isBroken } = await simulate(mutations, `${SIZE} --shorten ${SHORTEN} ${seeds} ${args}`);
      expect(stdout).toContain(rule);
      expect(stdout).toMatch(/npm run simulate -- .*--seed \d+ --replay/);
      expect(isBroken).toBe(true);
    },
    LONGEST_MS,
  );
});
