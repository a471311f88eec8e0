import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { DATABASE_FAULTS, FAULTS } from '../../../scripts/simulate/faults.js';
import { type SimulationOptions, simulate } from '../../../scripts/simulate/run.js';

const ALL = [...FAULTS, ...DATABASE_FAULTS];
const SMALL: SimulationOptions = {
  ...{ nodes: 4, pods: 3, components: 2, degree: 3, processes: 1, seed: 1, config: {} },
  ...{ hours: 1, faults: [] },
};
/** Nodes of two processes, which share a database. */
const CLUSTER = { ...SMALL, nodes: 2, pods: 2, components: 1, degree: 1, processes: 2 };

async function run(options: SimulationOptions) {
  const log: string[] = [];
  const result = await simulate(options, (line) => void log.push(line));
  if ('failure' in result) throw result.failure.violation;
  return { ...result.outcome, log: log.join('') };
}

describe('a simulated network', () => {
  // `npm run sabotage` breaks a rule of clusters, and this run notices it.
  it('of clusters breaks no rule', async () => {
    expect((await run(CLUSTER)).happenings.length).toBeGreaterThan(1);
  }, 120_000);

  it('does the same twice, byte for byte, also while other processes take the cores', async () => {
    const faulty = { ...CLUSTER, pods: 3, faults: ALL };
    const quiet = await run(faulty);
    const others = Array.from({ length: 3 * availableParallelism() }, () =>
      spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
    );
    try {
      const busy = await run(faulty);
      expect(busy.log).toBe(quiet.log);
      expect(busy.digest).toBe(quiet.digest);
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  }, 240_000);

  it('brings every change to every reader, moves next to nothing when nothing happens, and does what is asked for', async () => {
    const { spread, idle, log, happenings } = await run(SMALL);
    expect(happenings.length).toBeGreaterThan(1);
    expect(spread.changes).toBeGreaterThan(0);
    expect(spread.worst).toBeLessThan(10_000);
    expect(idle.requests).toBeGreaterThan(0);
    expect(log).toContain('.notifications/');
    const other = await run({ ...CLUSTER, seed: 2, replay: [1] });
    expect(other.log.split('\n')[0]).not.toBe(log.split('\n')[0]);
    expect(other.happenings).toEqual([expect.stringContaining('#1 ')]);
  }, 120_000);
});
