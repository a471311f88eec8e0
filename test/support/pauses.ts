import { expect } from 'vitest';
import type { Pace } from '../../src/lib/pace.js';

/** A pace of which each pause is noted. */
export function notedPauses() {
  let [paused, overlaps] = [0, 0];
  const waiting = new Set<Promise<void>>();
  const pace: Pace = () => () => {
    paused += 1;
    // Whoever pauses while another pause lasts has not waited for it.
    if (waiting.size > 0) overlaps += 1;
    const pause: Promise<void> = new Promise<void>(setImmediate).then(() => void waiting.delete(pause));
    waiting.add(pause);
    return pause;
  };
  /** Does this work give way to other work, and wait until that is done? */
  const expectPauses = async (work: () => unknown): Promise<void> => {
    [paused, overlaps] = [0, 0];
    await work();
    expect(paused, String(work)).toBeGreaterThan(0);
    expect([overlaps, waiting.size], String(work)).toEqual([0, 0]);
  };
  return { pace, expectPauses };
}
