import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemPace } from '../../src/lib/pace.js';

describe('the pace of the system', () => {
  afterEach(() => vi.restoreAllMocks());

  it('shares one turn of the event loop among all tasks that begin in it, and resumes one of them in each turn', async () => {
    let now = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    let turn = 0;
    let areOver = false;
    const count = () => {
      turn += 1;
      if (!areOver) setImmediate(count);
    };
    setImmediate(count);
    const worked = new Map<number, string>();
    const task = async (name: string) => {
      const breathe = systemPace();
      for (let step = 0; step < 4; step++) {
        now += 0.6;
        worked.set(turn, (worked.get(turn) ?? '') + name);
        const pause = breathe();
        if (pause) await pause;
      }
    };
    await Promise.all([task('a'), task('b'), task('c')]);
    areOver = true;
    // The first one works for a slice of 1 ms; the others do what they must before they can pause.
    expect([...worked.values()]).toEqual(['aabc', 'aa', 'bb', 'cc', 'b', 'c']);
  });
});
