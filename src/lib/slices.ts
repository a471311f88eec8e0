import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest stretch of work, in milliseconds, before the event loop gets its turn. */
const SLICE_MS = 1;

/** Call it in the middle of long work: it lets other work in when this turn has lasted long enough. */
export type Breather = () => Promise<void> | undefined;

/**
 * Makes long work share the event loop. `const breathe = breather(); for (…) { …; await breathe(); }`
 * gives way to requests every few milliseconds, and costs next to nothing in between.
 */
export function breather(sliceMs = SLICE_MS): Breather {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return nextTurn().then(() => {
      started = performance.now();
    });
  };
}
