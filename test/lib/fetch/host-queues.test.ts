import { beforeEach, describe, expect, it } from 'vitest';
import type { Trust } from '../../../src/lib/fetch/hop.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { waitFor } from '../../support/wait-for.js';

/** Tasks that end when the test says so, and which of them have begun. */
let begun: string[];
let ends: (() => void)[];
const task = (name: string) => () =>
  new Promise<void>((resolve) => {
    begun.push(name);
    ends.push(resolve);
  });
beforeEach(() => {
  [begun, ends] = [[], []];
});

describe('a queue of tasks for configured and learned sources', () => {
  it.each([
    [4, 2],
    [5, 2],
    [1, 1],
  ])('of %i slots gives learned ones %i, and all of them to configured ones', async (slots, most) => {
    const queue = new HostQueues(9, slots);
    const run = (trust: Trust) =>
      Array.from({ length: 9 }, (_, i) => queue.run(`http://h${i}/`, task(`${trust} ${i}`), trust));
    void run('learned');
    await waitFor(() => queue.running === most);
    void run('configured');
    await waitFor(() => queue.running === slots);
    expect(begun.filter((name) => name.startsWith('learned'))).toHaveLength(most);
    ends[0]?.();
    await waitFor(() => begun.length === slots + 1);
    expect(begun.at(-1)).toMatch(/^configured/);
  });

  it('of the two slots of a host leaves one to configured ones', async () => {
    const queue = new HostQueues(2);
    for (const name of ['a', 'b', 'c']) void queue.run('http://h/', task(name), 'learned');
    void queue.run('http://h/', task('mine'));
    await waitFor(() => begun.length === 2);
    expect(begun).toEqual(expect.arrayContaining(['a', 'mine']));
  });
});
