import { describe, expect, it } from 'vitest';
import type { Trust } from '../../../src/lib/fetch/hop.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { TrustQueue } from '../../../src/lib/fetch/trust-queue.js';
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
  ])('of %i slots gives learned ones %i, and all of them to configured ones', async (slots, learned) => {
    const queue = new TrustQueue(slots);
    const tasks = new Tasks();
    const run = (trust: Trust) =>
      Array.from({ length: 9 }, (_, i) => queue.run(tasks.task(`${trust} ${i}`), trust));
    void run('learned');
    await waitFor(() => queue.running === learned);
    void run('configured');
    await waitFor(() => queue.running === slots);
    expect(tasks.begun.filter((name) => name.startsWith('learned'))).toHaveLength(learned);
    tasks.end(tasks.begun[0] ?? '');
    await waitFor(() => tasks.begun.length === slots + 1);
    expect(tasks.begun.at(-1)).toMatch(/^configured/);
  });

  it('keeps a slot of each host, and forgets a host when nothing waits for it any more', async () => {
    const queues = new HostQueues(2);
    const tasks = new Tasks();
    const learned = ['a', 'b', 'c'].map((name) => queues.run('http://h/', tasks.task(name), 'learned'));
    const configured = queues.run('http://h/', tasks.task('mine'));
    await waitFor(() => tasks.begun.length === 2);
    expect(tasks.begun).toEqual(expect.arrayContaining(['a', 'mine']));
    for (const name of ['a', 'b', 'c']) {
      await waitFor(() => tasks.begun.includes(name));
      tasks.end(name);
    }
    tasks.end('mine');
    await Promise.all([...learned, configured]);
    expect(tasks.begun).toHaveLength(4);
  });
});
