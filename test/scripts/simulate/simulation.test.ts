import { describe, expect, it } from 'vitest';
import { BEGIN } from '../../../scripts/simulate/faults.js';
import { type Begin, planRound } from '../../../scripts/simulate/happenings.js';
import { Violation } from '../../../scripts/simulate/rules.js';
import { type SimulationOptions, simulate } from '../../../scripts/simulate/run.js';
import { MINUTE } from '../../../scripts/simulate/time.js';
import { World } from '../../../scripts/simulate/world.js';

const SMALL: SimulationOptions = {
  ...{ nodes: 4, pods: 3, components: 2, degree: 3, processes: 1, seed: 1, config: {} },
  ...{ hours: 1, faults: {} },
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
    const { history } = await run({ ...CLUSTER, faults: BEGIN });
    expect(history.length).toBeGreaterThan(1);
  }, 240_000);

  it('does the same twice, also while another one takes turns with it', async () => {
    // Without a second process, because nodes that share a database look into it twice a second.
    const faulty = { ...CLUSTER, processes: 1, faults: BEGIN };
    const [one, other] = await Promise.all([run(faulty), run(faulty)]);
    expect(one.history.length).toBeGreaterThan(1);
    expect(other.log).toBe(one.log);
    expect(other.digest).toBe(one.digest);
  }, 240_000);

  it('brings every change to every reader, and moves next to nothing when nothing happens', async () => {
    const { active, idle, log, history } = await run(SMALL);
    expect(history.length).toBeGreaterThan(1);
    expect(active.changes).toBeGreaterThan(0);
    expect(active.times.at(-1)).toBeLessThan(10_000);
    expect(idle.requests).toBeGreaterThan(0);
    expect(log).toContain('.notifications/');
  }, 120_000);

  it('is another one for another seed', () => {
    const { nodes, pods } = new World(SMALL);
    const [one, same, other] = [1, 1, 2].map((seed) => {
      return planRound({ nodes, pods }, BEGIN, { seed, round: 0, began: 0 });
    });
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });
});

describe('a fault of a simulated network', () => {
  /** The first fault of a run, and nothing else, happens in a network of two nodes. */
  const withFault = (strange: Begin): SimulationOptions => ({
    ...{ ...SMALL, nodes: 2, pods: 1, degree: 1, replay: [5000], faults: { strange } },
  });

  it('that cannot be put right ends the run, and the seed is named', async () => {
    const end = () => Promise.reject(new Error('it stays broken'));
    const done = simulate({ ...withFault(() => ({ what: 'something', end })), seed: 7 });
    await expect(done).rejects.toMatchObject({
      message: expect.stringContaining('seed 7'),
      cause: expect.objectContaining({ message: 'it stays broken' }),
    });
  }, 120_000);

  it('is put right before anybody looks whether all is right, however long its beginning takes', async () => {
    const slow = withFault(async ({ time }) => {
      await time.sleep(20 * MINUTE);
      return { what: 'something', end: () => undefined };
    });
    const { log, history } = await run(slow);
    // Nothing else happens than what is to be seen again.
    expect(history).toEqual(['#5000 ', '#5000 '].map((number) => expect.stringContaining(number)));
    const noted = log.match(/all is right|strange: something( ends)?/g);
    expect(noted?.slice(0, 4)).toEqual([
      ...['all is right', 'strange: something', 'strange: something ends', 'all is right'],
    ]);
  }, 120_000);

  it('that breaks a rule is told although the network cannot be stopped', async () => {
    const result = await simulate(
      withFault(({ nodes: [node] }) => {
        if (node) node.stop = () => Promise.reject(new Error('it does not stop'));
        throw new Violation('private', 'said by a test');
      }),
    );
    expect(result).toMatchObject({
      failure: {
        violation: { rule: 'private' },
        begun: [5000],
        history: [expect.stringContaining('it does not stop')],
      },
    });
  }, 120_000);
});
