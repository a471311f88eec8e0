import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work without a pause, in milliseconds. */
const SLICE_MS = 1;

/** To be awaited within long work: pauses when enough time has passed since the last pause, so that requests are answered. */
export type Breather = () => Promise<void> | undefined;

/**
 * Makes long work pause: `const breathe = pace(); for (…) { …; await breathe(); }`. `sliceMs` is the longest stretch of
 * work between two pauses, 1 ms when absent. Pauses depend on the time, so a pace is a parameter like the clock: with
 * `withoutPause`, a simulated network does the same in every run.
 */
export type Pace = (sliceMs?: number) => Breather;

/** Pauses by the real clock. Between two pauses, `breathe` only reads the clock. */
export const systemPace: Pace = (sliceMs = SLICE_MS) => {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
};

/** Never pauses. */
export const withoutPause: Pace = () => () => undefined;
