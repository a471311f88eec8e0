import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../../scripts/simulate/faults.js';
import { type SimulationOptions, simulate } from '../../../scripts/simulate/run.js';

const SMALL: SimulationOptions = {
  ...{ nodes: 4, pods: 3, components: 2, degree: 3, processes: 1, seed: 1, interval: 5, config: {} },
  ...{ hours: 0.5, join: 0.1, bound: 1, faults: [] },
};

async function run(options: SimulationOptions) {
  const log: string[] = [];
  const result = await simulate(options, { writeLog: (line) => log.push(line) });
  if ('failure' in result) throw result.failure.violation;
  return { ...result.outcome, log: log.join('') };
}

describe('a simulated network', () => {
  it('does the same twice in a row, byte for byte, also with databases', async () => {
    const clusters = { ...SMALL, nodes: 2, pods: 2, degree: 1, processes: 2 };
    const [one, again] = [await run(clusters), await run(clusters)];
    expect(again.log).toBe(one.log);
    expect(again.digest).toBe(one.digest);
  }, 120_000);

  it('does the same, faults included, while other processes take the cores', async () => {
    const faulty = { ...SMALL, faults: FAULTS, bound: 8 };
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
    expect(idle.polls).toBeGreaterThan(0);
    expect(log).toContain('.notifications/');
    const other = await run({ ...SMALL, seed: 2, replay: [1] });
    expect(other.log.split('\n')[0]).not.toBe(log.split('\n')[0]);
    expect(other.happenings).toEqual([expect.stringContaining('#1 ')]);
  }, 120_000);
});
