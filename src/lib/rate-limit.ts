import { type Clock, elapsed } from './clock.js';

export type RateLimit = ReturnType<typeof createRateLimit>;

const MINUTE_MS = 60_000;
/** How long a client is told to wait while others are at it: nobody knows when one of them ends. */
const OCCUPIED_MS = 1000;

/** Allows clients that need no account `concurrent` works at any moment, and `perMinute` within any minute. */
export function createRateLimit(
  clock: Pick<Clock, 'now'>,
  { concurrent, perMinute }: { concurrent: number; perMinute: number },
) {
  let underWay = 0;
  /** When those of the last minute began, the oldest first. */
  let times: number[] = [];
  return {
    /** Does some work, or what is done instead: `refused` is told after how many ms to ask again. */
    async run<T>(work: () => T | Promise<T>, refused: (retryMs: number) => T | Promise<T>): Promise<T> {
      const now = clock.now();
      times = times.filter((time) => elapsed(time, now) < MINUTE_MS);
      const [oldest = now] = times;
      if (times.length >= perMinute) return refused(oldest + MINUTE_MS - now);
      if (underWay >= concurrent) return refused(OCCUPIED_MS);
      times.push(now);
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
      }
    },
  };
}
