import { describe, expect, it } from 'vitest';
import type { Trust } from '../../../src/lib/fetch/hop.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { waitFor } from '../../support/wait-for.js';

/** Tasks that end when the test says so, and which of them have begun. */
class Tasks {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  task(name: string): () => Promise<void> {
    return () =>
      new Promise((resolve) => {
        this.begun.push(name);
        this.#ends.set(name, resolve);
      });
  }

  end(...names: string[]): void {
    for (const name of names) this.#ends.get(name)?.();
  }
}

describe('a queue of tasks for configured and learned sources', () => {
  it.each([
    [4, 2],
    [5, 2],
    [1, 1],
  ])('of %i slots gives learned ones %i, and all of them to configured ones', async (slots, most) => {
    const queue = new HostQueues(9, slots);
    const tasks = new Tasks();
    const run = (trust: Trust) =>
      Array.from({ length: 9 }, (_, i) => queue.run(`http://h${i}/`, tasks.task(`${trust} ${i}`), trust));
    void run('learned');
    await waitFor(() => queue.running === most);
    void run('configured');
    await waitFor(() => queue.running === slots);
    expect(tasks.begun.filter((name) => name.startsWith('learned'))).toHaveLength(most);
    tasks.end(tasks.begun[0] ?? '');
    await waitFor(() => tasks.begun.length === slots + 1);
    expect(tasks.begun.at(-1)).toMatch(/^configured/);
  });

  it('of the two slots of a host leaves one to configured ones', async () => {
    const queue = new HostQueues(2);
    const tasks = new Tasks();
    for (const name of ['a', 'b', 'c']) void queue.run('http://h/', tasks.task(name), 'learned');
    void queue.run('http://h/', tasks.task('mine'));
    await waitFor(() => tasks.begun.length === 2);
    expect(tasks.begun).toEqual(expect.arrayContaining(['a', 'mine']));
  });
});
