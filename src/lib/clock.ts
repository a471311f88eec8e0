/**
 * Time. It is a parameter of everything that needs it, so that tests and simulated networks can run the same code on a
 * virtual clock; the same holds for `Random`.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Ms that have passed since a time, by the same clock. A time that is still to come was noted before the clock was set back:
 * any number of ms may have passed since then, and who waits for fewer would wait until the clock has caught up.
 */
export function elapsed(since: number, now: number): number {
  return now < since ? Number.POSITIVE_INFINITY : now - since;
}

/** The longest time, in ms, that a timer of Node.js takes: one for longer (24.8 days) goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** A number in [0, 1), like `Math.random`. */
export type Random = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      let left = ms;
      const wait = (): ReturnType<typeof setTimeout> => {
        const step = Math.min(left, LONGEST_TIMER);
        left -= step;
        return setTimeout(() => {
          if (left > 0) timer = wait();
          else {
            signal?.removeEventListener('abort', stop);
            resolve();
          }
        }, step);
      };
      let timer = wait();
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
