import type { Breather, Pace } from '../pace.js';
import { Problem } from './problem.js';

/**
 * Slices of work that a request may take before its answer begins; a slice is a millisecond on a machine that does nothing else.
 * The dearest sensible question takes some hundred.
 */
const MOST_SLICES = 5_000;

/** The work of one request: it gives way to others like all work does, and it ends when it has taken too much. */
export class RequestWork {
  readonly #pace: Pace;
  readonly #most: number;
  #slices = 0;

  constructor(pace: Pace, most = MOST_SLICES) {
    this.#pace = pace;
    this.#most = most;
  }

  /** Paces work that is done before the answer. Its breathers throw Problem 422 when the request has taken all that it may. */
  readonly pace: Pace = (sliceMs) => {
    const breathe = this.#pace(sliceMs);
    return () => this.#counted(breathe);
  };

  #counted(breathe: Breather): Promise<void> | undefined {
    const pause = breathe();
    if (!pause) return undefined;
    this.#slices += 1;
    if (this.#slices <= this.#most) return pause;
    throw new Problem(
      422,
      'This request takes more work than one may; ask for less: for fewer things at a time, or with a limit',
    );
  }
}
