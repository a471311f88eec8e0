import { type Clock, elapsed } from './clock.js';

/** Bounds how often, and how many times at once, something is done for clients that need no account. */
export interface RateLimit {
  /** Counts one more, until `release` is called; or says after how many ms to ask again. */
  acquire(): { readonly release: () => void } | { readonly retryMs: number };
  /** Does some work, or what is done instead: `refused` is told after how many ms to ask again. */
  run<T>(work: () => T | Promise<T>, refused: (retryMs: number) => T | Promise<T>): Promise<T>;
}

const MINUTE_MS = 60_000;
/** How long a client is told to wait while others are at it: nobody knows when one of them ends. */
const OCCUPIED_MS = 1000;

/** Allows `concurrent` at any moment, and `perMinute` within any minute. */
export function createRateLimit(
  clock: Pick<Clock, 'now'>,
  { concurrent, perMinute }: { concurrent: number; perMinute: number },
): RateLimit {
  let underWay = 0;
  /** When those of the last minute began, the oldest first. */
  let times: number[] = [];
  const limit: RateLimit = {
    acquire() {
      const now = clock.now();
      times = times.filter((time) => elapsed(time, now) < MINUTE_MS);
      const [oldest = now] = times;
      if (times.length >= perMinute) return { retryMs: oldest + MINUTE_MS - now };
      if (underWay >= concurrent) return { retryMs: OCCUPIED_MS };
      times.push(now);
      underWay += 1;
      return {
        release: () => {
          underWay -= 1;
        },
      };
    },
    async run(work, refused) {
      const allowed = limit.acquire();
      if ('retryMs' in allowed) return refused(allowed.retryMs);
      try {
        return await work();
      } finally {
        allowed.release();
      }
    },
  };
  return limit;
}
