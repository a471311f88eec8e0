import type { Pace } from '../pace.js';
import { Problem } from './problem.js';

/**
 * Slices of work that a request may take before its answer begins; a slice is a millisecond on a machine that does nothing else.
 * The dearest sensible question takes some hundred.
 */
const MOST_SLICES = 5_000;

/** Paces the work of one request, which gives way to others like all work does. Throws Problem 422 when it has taken all that it may. */
export function requestPace(pace: Pace): Pace {
  let slices = 0;
  return (sliceMs) => {
    const breathe = pace(sliceMs);
    return () => {
      const pause = breathe();
      if (!pause) return undefined;
      slices += 1;
      if (slices <= MOST_SLICES) return pause;
      const why =
        'This request takes more work than one may; ask for fewer things at a time, or ask for less by a limit';
      throw new Problem(422, why);
    };
  };
}
