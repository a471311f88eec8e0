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

/**
 * Pauses by the real clock. Between two pauses, `breathe` only reads the clock. However many tasks pause at a time, one of
 * them goes on in each turn of the event loop, in the order in which they came: so requests wait for one slice, not for one
 * of every task.
 */
export const systemPace: Pace = (sliceMs = SLICE_MS) => {
  let started = performance.now();
  return () => {
    if (performance.now() - started < sliceMs) return undefined;
    return turns.next().then(() => {
      started = performance.now();
    });
  };
};

/** Tasks that pause, each of which gets a turn of the event loop for itself. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#give);
    });
  }

  readonly #give = () => {
    // What it does until it pauses again is done before the next immediate.
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#give);
  };
}

const turns = new Turns();

/** Never pauses. */
export const withoutPause: Pace = () => () => undefined;
