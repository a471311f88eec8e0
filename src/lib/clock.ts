/**
 * Time. It is a parameter of everything that needs it, so that tests and simulated networks can run the same code on a
 * virtual clock; the same holds for `Random`.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, 24 days at most; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Ms that have passed since a time, by the same clock. A time that is still to come was noted before the clock was set back: any
 * number of ms may have passed since then.
 */
export function elapsed(since: number, now: number): number {
  return now < since ? Number.POSITIVE_INFINITY : now - since;
}

/** A number in [0, 1), like `Math.random`. */
export type Random = () => number;

/** The longest time, in ms, that a timer of Node.js takes, which is 24.8 days: one for longer goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const end = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, LONGEST_TIMER));
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
