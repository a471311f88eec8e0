import { readdirSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { Lane, Task, TaskOptions } from '../../src/lib/pool/task.js';
import { heapFor, WorkerPool, type WorkerPoolOptions } from '../../src/lib/pool/worker-pool.js';
import { importsTask } from '../../src/publish/module-text.js';
import { waitFor } from '../support/wait-for.js';

type Tasks = Record<'count' | 'spin' | 'hoard' | 'repeat' | 'exit' | 'stumble', Task<number, Counted>> & {
  readonly look: Task<{ readonly text: string }, { readonly said: string }>;
};

interface Counted {
  readonly list: readonly number[];
  readonly upTo: number;
}

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
    pool = new WorkerPool({ clock: systemClock, pace: systemPace, heapMb: 32, script: SCRIPT, ...options });
  }

  async function run(
    task: Exclude<keyof Tasks, 'look'>,
    input = 3,
    options: Partial<TaskOptions> = {},
  ): Promise<number[]> {
    const { list, upTo } = await pool.run(tasks[task], input, { lane: 'post', size: 1, ...options });
    expect(upTo).toBe(input);
    return [...list];
  }

  it('hands over the result, however long it is, and uses its threads again', async () => {
    create({ threads: 1 });
    expect(await run('count')).toEqual([0, 1, 2]);
    const before = threads();
    expect(await run('count', 0)).toEqual([]);
    expect(await run('count', 50_000)).toEqual(Array.from({ length: 50_000 }, (_, i) => i));
    expect(threads()).toBeLessThanOrEqual(before);
  });

  it.each([
    ['takes too long', 'spin', 400, { name: 'TaskTimeout', message: /^reading it takes more than 0\.4 s/ }],
    [
      'takes too much memory',
      'hoard',
      20_000,
      { name: 'MalformedInput', message: /more than 32 MB of memory/ },
    ],
    ['ends its thread, which is no fault of its own', 'exit', 20_000, { name: 'Error' }],
    [
      'meets a mistake in the code',
      'stumble',
      20_000,
      { name: 'Error', cause: { message: 'a mistake in the code' } },
    ],
  ] as const)('fails a document that %s, and reads the next one', async (_how, task, deadlineMs, failure) => {
    // The next one waits for a thread that starts, which may take longer on a busy machine.
    create({ threads: 1, deadlineMs: (size) => (size === 1 ? deadlineMs : 20_000) });
    const said = 'message' in failure ? { message: expect.stringMatching(failure.message) } : {};
    await expect(run(task)).rejects.toMatchObject({ ...failure, ...said });
    expect(await run('count', 3, { size: 2 })).toEqual([0, 1, 2]);
  });

  it('fails a document that says far more than it is long, before that takes memory', async () => {
    create({ threads: 1, heapMb: 80 });
    const before = process.memoryUsage.rss();
    await expect(run('repeat', 30_000)).rejects.toThrow('what it says takes more than 80 MB of memory');
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
    expect(await run('repeat', 1_000)).toHaveLength(1_000);
  });

  it('takes a document as bytes, and the task gets a text', async () => {
    create();
    const look = async (text: string | Uint8Array) =>
      (await pool.run(tasks.look, { text }, { lane: 'post' })).said;
    const bytes = new TextEncoder().encode(`\ufeffü${'x'.repeat(100_000)}é`);
    expect(await look(bytes)).toBe('string 100002 üé');
    expect(await look('üé')).toBe('string 2 üé');
    await expect(look(Uint8Array.of(0x41, 0xff))).rejects.toMatchObject({
      name: 'MalformedInput',
      message: expect.stringContaining('not valid UTF-8'),
    });
  });

  it('blames no document when its threads cannot start', async () => {
    create({ threads: 1, script: new URL('../fixtures/pool/broken-script.js', import.meta.url) });
    // More often than there are threads: each attempt must leave its place to the next.
    for (const attempt of [run('count'), run('count'), run('count')])
      await expect(attempt).rejects.toThrow('could not read it in a thread');
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

  it('reads what waited while the tasks of all threads were ended', async () => {
    create({ threads: 2, deadlineMs: (size) => size });
    const spins = [run('spin', 0, { size: 400 }), run('spin', 0, { lane: 'refresh', size: 400 })];
    const counts = [1, 2, 3].map(() => run('count', 1, { lane: 'lint', size: 20_000 }));
    await Promise.allSettled(spins);
    expect(await Promise.all(counts)).toEqual([[0], [0], [0]]);
  });

  it('has the memory to find what a module of 5 MB imports', async () => {
    create({ heapMb: heapFor(10_000_000) });
    const code = '(function f(a){const b=[a,{c:a.d(1)}];for(const e of b)if(e)return(()=>e.g+a)()});';
    const text = `${`${code}\n`.repeat(5_000_000 / code.length)}export * from './all.js'; import(f());`;
    const found = await pool.run(importsTask, { text }, { lane: 'refresh' });
    expect(found).toEqual({ fixed: ['./all.js'], later: [], isComputed: true });
  });

  it('refuses what would wait behind too many, also while other lanes have the threads', async () => {
    create({ threads: 2, waiting: 2, deadlineMs: () => 60_000 });
    const gone = new AbortController();
    const spin = (lane: Lane) => run('spin', 0, { lane, signal: gone.signal });
    const all = [spin('post'), spin('refresh')];
    all.push(spin('lint'), spin('lint'));
    await expect(spin('lint')).rejects.toMatchObject({ name: 'PoolBusy' });
    expect(pool.figures().lanes.lint).toMatchObject({ waiting: 2, running: 0 });
    gone.abort(new Error('gone'));
    await Promise.allSettled(all);
  });

  it('counts what becomes of tasks', async () => {
    // The time of the first one includes the start of the thread.
    create({ threads: 1, waiting: 1, deadlineMs: (size) => (size === 1 ? 400 : 60_000) });
    await expect(run('stumble', 0, { lane: 'lint', size: 2 })).rejects.toThrow();
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
