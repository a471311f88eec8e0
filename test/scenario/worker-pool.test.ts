import { readdirSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { MalformedInput } from '../../src/lib/faults.js';
import type { Lane, Task, TaskOptions } from '../../src/lib/pool/task.js';
import { WorkerPool, type WorkerPoolOptions } from '../../src/lib/pool/worker-pool.js';
import { waitFor } from '../support/wait-for.js';

type Tasks = Record<'count' | 'spin' | 'hoard' | 'exit' | 'stumble' | 'rest', Task<number, number>> & {
  readonly look: Task<{ readonly text: string }, string>;
};

/** As it is shipped: only then there is a script that a thread can run. */
const SCRIPT = new URL('../../dist/lib/pool/worker.js', import.meta.url);

let tasks: Tasks;
beforeAll(async () => {
  tasks = await import(new URL('../fixtures/pool/tasks.js', import.meta.url).href);
});

describe('the pool of workers', () => {
  let pool: WorkerPool;
  afterEach(() => pool.close());

  function create(options: Partial<WorkerPoolOptions> = {}): void {
    pool = new WorkerPool({ clock: systemClock, heapMb: 64, smallHeapMb: 32, script: SCRIPT, ...options });
  }

  async function run(
    task: Exclude<keyof Tasks, 'look'>,
    input = 3,
    options: Partial<TaskOptions> = {},
  ): Promise<number[]> {
    const pieces: number[] = [];
    const waiting = { lane: 'post' as Lane, size: 1, ...options };
    for await (const piece of pool.run(tasks[task], input, waiting)) pieces.push(piece);
    return pieces;
  }

  it('hands over the pieces in order, and uses its threads again', async () => {
    create({ threads: 1 });
    expect(await run('count')).toEqual([0, 1, 2]);
    const before = threads();
    expect(await run('count', 500)).toHaveLength(500);
    expect(threads()).toBeLessThanOrEqual(before);
  });

  it.each([
    ['takes too long', 'spin', 400, 'more than 0.4 s of processor time'],
    ['takes too much memory', 'hoard', 10_000, 'more than 32 MB of memory'],
    ['ends its thread', 'exit', 10_000, 'ended unexpectedly'],
  ] as const)('fails a document that %s, and reads the next one', async (_how, task, deadlineMs, message) => {
    create({ threads: 1, deadlineMs: () => deadlineMs });
    const failure = await run(task).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MalformedInput);
    expect(String(failure)).toContain(message);
    expect(await run('count')).toEqual([0, 1, 2]);
  });

  it('blames itself for a document that its thread got no processor for', async () => {
    create({ threads: 1, deadlineMs: () => 50 });
    await expect(run('rest', 60_000)).rejects.toMatchObject({
      name: 'PoolBusy',
      message: expect.stringMatching(/0\.0 s of processor time, of 0\.05 s/),
    });
    expect(await run('count')).toEqual([0, 1, 2]);
    expect(pool.figures().lanes.post.ended).toMatchObject({ killed: 1, done: 1 });
  });

  it('hands over the bytes of a document instead of copying them, and the task gets a text', async () => {
    create();
    const look = async (text: string | Uint8Array) => {
      const said: string[] = [];
      for await (const piece of pool.run(tasks.look, { text }, { lane: 'post', size: text.length }))
        said.push(piece);
      return said.join();
    };
    const bytes = new TextEncoder().encode(`\ufeffü${'x'.repeat(100_000)}é`);
    expect(await look(bytes)).toBe('string 100002 üé');
    expect(bytes.buffer.byteLength).toBe(0);
    expect(await look('üé')).toBe('string 2 üé');
    await expect(look(Uint8Array.of(0x41, 0xff))).rejects.toMatchObject({
      name: 'MalformedInput',
      message: expect.stringContaining('not valid UTF-8'),
    });
  });

  it('tells a mistake in the code from a fault of a document', async () => {
    create();
    await expect(run('stumble')).rejects.toMatchObject({ name: 'Error', message: 'a mistake in the code' });
    expect(await run('count')).toEqual([0, 1, 2]);
  });

  it('blames no document when its threads cannot start', async () => {
    create({ threads: 1, script: new URL('../fixtures/pool/broken-script.js', import.meta.url) });
    // More often than there are threads: each attempt must leave its place to the next.
    for (const attempt of [run('count'), run('count'), run('count')])
      await expect(attempt).rejects.toThrow('could not start a thread');
  });

  it('ends what nobody waits for any more, running or waiting', async () => {
    create({ threads: 1, deadlineMs: () => 60_000 });
    const gone = new AbortController();
    const running = run('spin', 0, { signal: gone.signal });
    const waiting = run('count', 1, { signal: gone.signal });
    const next = run('count', 1);
    gone.abort(new Error('gone'));
    await expect(running).rejects.toThrow('gone');
    await expect(waiting).rejects.toThrow('gone');
    expect(await next).toEqual([0]);
  });

  it('keeps a thread free of each lane, and lets lanes take turns', async () => {
    create({ threads: 2, deadlineMs: () => 60_000 });
    const gone = new AbortController();
    const hog = { lane: 'lint' as Lane, signal: gone.signal };
    const hogs = [1, 2, 3].map(() => run('spin', 0, hog));
    expect(await run('count', 1, { lane: 'configured' })).toEqual([0]);
    gone.abort(new Error('gone'));
    await Promise.allSettled(hogs);
  });

  it('gives a large document more memory, and reads one of them at a time', async () => {
    create({ threads: 3, deadlineMs: () => 60_000 });
    const gone = new AbortController();
    const large = { size: 1_000_000, signal: gone.signal };
    const first = run('spin', 0, { ...large, lane: 'learned' });
    const second = run('count', 1, { ...large, lane: 'configured' });
    expect(await run('count', 1, { lane: 'configured' })).toEqual([0]);
    expect(pool.figures().lanes.configured).toMatchObject({ running: 0, waiting: 1 });
    gone.abort(new Error('gone'));
    await Promise.allSettled([first, second]);
    await expect(run('hoard', 0, { size: 1_000_000 })).rejects.toThrow('more than 64 MB of memory');
  });

  it('refuses what would wait behind too many', async () => {
    create({ threads: 1, waiting: 2, deadlineMs: () => 60_000 });
    const gone = new AbortController();
    const all = [1, 2, 3].map(() => run('spin', 0, { signal: gone.signal }));
    await expect(run('count')).rejects.toMatchObject({ name: 'PoolBusy' });
    gone.abort(new Error('gone'));
    await Promise.allSettled(all);
  });

  it('counts what becomes of tasks', async () => {
    create({ threads: 1, waiting: 1, deadlineMs: () => 400 });
    await expect(run('stumble', 0, { lane: 'lint' })).rejects.toThrow();
    const gone = new AbortController();
    const killed = run('spin');
    const dropped = run('spin', 0, { signal: gone.signal });
    await expect(run('spin')).rejects.toMatchObject({ name: 'PoolBusy' });
    gone.abort(new Error('gone'));
    await Promise.allSettled([dropped, killed]);
    const { lint, post } = pool.figures().lanes;
    expect([lint.ended.failed, post.ended]).toMatchObject([1, { killed: 1, dropped: 1, refused: 1 }]);
    expect(post).toMatchObject({ running: 0, waiting: 0 });
    expect(post.seconds).toBeGreaterThan(0.2);
  });

  it('ends threads without work, and all when it is closed', async () => {
    create({ idleMs: 200, deadlineMs: () => 60_000 });
    const before = threads();
    await run('count');
    await waitFor(() => threads() <= before);
    const ended = expect(run('spin')).rejects.toThrow('the node is stopping');
    await pool.close();
    await ended;
    await expect(run('count')).rejects.toThrow('the node is stopping');
    expect(threads()).toBeLessThanOrEqual(before);
  });
});

/** Threads of this process. */
function threads(): number {
  return readdirSync('/proc/self/task').length;
}
