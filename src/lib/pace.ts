import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work, in milliseconds, before the event loop gets its turn. */
const SLICE_MS = 1;

/** To be awaited in the middle of long work: lets other work in when this turn has lasted long enough. */
export type Breather = () => Promise<void> | undefined;

/**
 * How long work shares the event loop: `const breathe = pace(); for (…) { …; await breathe(); }`. Whether it
 * gives way depends on the time that has passed, so it is handed in like the clock: a simulated network
 * passes `withoutPause`, and its runs can be repeated. `sliceMs` is the longest stretch of work between two
 * pauses, 1 ms when absent.
 */
export type Pace = (sliceMs?: number) => Breather;

/** Gives way to requests every millisecond or so, and costs next to nothing in between. */
export const systemPace: Pace = (sliceMs = SLICE_MS) => {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
};

/** Never gives way. */
export const withoutPause: Pace = () => () => undefined;
