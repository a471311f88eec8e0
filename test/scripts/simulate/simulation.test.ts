import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '../../../scripts/simulate/faults/faults.js';
import { DEFAULTS, type SimulationOptions } from '../../../scripts/simulate/options.js';
import { simulate } from '../../../scripts/simulate/shortest-history.js';

const SMALL: SimulationOptions = {
  ...{ ...DEFAULTS, nodes: 4, pods: 3, components: 2, hours: 0.5, joinMinutes: 0.1 },
  ...{ faults: [], replay: undefined, config: {}, boundHours: 1 },
};

async function run(options: SimulationOptions) {
  const log: string[] = [];
  const result = await simulate(options, { writeLog: (text) => log.push(text) });
  if ('failure' in result) throw result.failure.violation;
  return { ...result.outcome, log: log.join('') };
}

describe('a simulated network', () => {
  let once: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    once = await run(SMALL);
  }, 60_000);

  it('does the same twice in a row, byte for byte, also with databases', async () => {
    const clusters = { ...SMALL, nodes: 2, pods: 2, degree: 1, processes: 2 };
    const [one, again] = [await run(clusters), await run(clusters)];
    expect(again.log).toBe(one.log);
    expect(again.digest).toBe(one.digest);
  });

  it('does the same, faults included, while other processes take the cores', async () => {
    const faulty = { ...SMALL, faults: FAULTS, boundHours: 8 };
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
  }, 120_000);

  it('brings every change to every reader, and moves next to nothing when nothing happens', () => {
    const { spread, idle, log, happenings } = once;
    expect(happenings.length).toBeGreaterThan(0);
    expect(spread.changes).toBeGreaterThan(0);
    expect(spread.worst).toBeLessThan(10_000);
    expect(idle.polls).toBeGreaterThan(0);
    expect(log).toContain('.notifications/');
  });

  it('lets only what is asked for happen, and does something else with another seed', async () => {
    const { happenings, log } = await run({ ...SMALL, seed: 2, replay: [1] });
    expect(log.split('\n')[0]).not.toBe(once.log.split('\n')[0]);
    expect(happenings.length).toBe(1);
    expect(happenings[0]).toContain('#1 ');
  });
});
