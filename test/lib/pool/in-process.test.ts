import { describe, expect, it } from 'vitest';
import type { Pace } from '../../../src/lib/pace.js';
import { inProcess, type Task } from '../../../src/lib/pool/task.js';

const OPTIONS = { lane: 'lint', size: 1 } as const;

const count: Task<number, number> = {
  module: import.meta.url,
  name: 'count',
  *run(end) {
    for (let i = 1; i <= end; i++) yield i;
  },
};

async function collect<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe('inProcess', () => {
  it('gives the pieces in order, and lets other work in after each', async () => {
    let pauses = 0;
    const pace: Pace = () => async () => {
      pauses += 1;
    };
    expect(await collect(inProcess(pace).run(count, 3, OPTIONS))).toEqual([1, 2, 3]);
    expect(pauses).toBe(3);
  });

  it('ends when the signal is aborted during a pause', async () => {
    const stop = new AbortController();
    const pace: Pace = () => async () => stop.abort(new Error('nobody waits any more'));
    const pieces = collect(inProcess(pace).run(count, 3, { ...OPTIONS, signal: stop.signal }));
    await expect(pieces).rejects.toThrow('nobody waits any more');
  });
});
