import { expect } from 'vitest';

/** What Stryker has instrumented counts each of its steps, and takes several times as long. */
const SLOWED = process.env.MUTANTS === undefined ? 1 : 5;

/**
 * Counts the ms for which this process has a processor from now on, as often as it is asked: time that grows with the work
 * alone, and not with what else the machine does.
 *
 *     const busyMs = processorTime();
 *     read(longRubbish);
 *     expect(busyMs()).toBeLessThan(1_000);
 */
export function processorTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / SLOWED;
  };
}

/** What is quadratic costs four times as much for twice the size. The slack is for a machine that does other things, too. */
const FACTOR = 2.5;
const SLACK_MS = 12;

/**
 * Work of twice the size costs hardly more than twice the time of the processor. Choose a size of which quadratic work takes 100 ms or more.
 * Tried again before it counts.
 */
export async function expectLinear(size: number, work: (size: number) => unknown, name = ''): Promise<void> {
  const cost = async (size: number) => {
    const busyMs = processorTime();
    await work(size);
    return busyMs();
  };
  // Code that runs for the first time is slow, and nothing is to be compared with that.
  let single = Math.min(await cost(size), await cost(size));
  let double = await cost(2 * size);
  for (let again = 0; again < 4 && double > FACTOR * single + SLACK_MS; again++) {
    single = Math.min(single, await cost(size));
    double = Math.min(double, await cost(2 * size));
  }
  expect(double, name).toBeLessThanOrEqual(FACTOR * single + SLACK_MS);
}
