import type { Clock } from './clock.js';

/** Bounds how often, and how many times at once, something is done for clients that need no account. */
export interface RateLimit {
  /** Takes a place, to be given back by `release`; or says after how many ms to ask again. */
  acquire(): { readonly release: () => void } | { readonly retryMs: number };
}

const MINUTE_MS = 60_000;
/** How long a client is told to wait for one of the places that are taken: nobody knows when one is given back. */
const OCCUPIED_MS = 1000;

/** At most `concurrent` places are taken at any moment, and at most `perMinute` within any minute. */
export function createRateLimit(
  clock: Pick<Clock, 'now'>,
  { concurrent, perMinute }: { concurrent: number; perMinute: number },
): RateLimit {
  let taken = 0;
  /** When the places of the last minute were taken, the oldest first. */
  let times: number[] = [];
  return {
    acquire() {
      const now = clock.now();
      times = times.filter((time) => time > now - MINUTE_MS);
      const [oldest = now] = times;
      if (times.length >= perMinute) return { retryMs: oldest + MINUTE_MS - now };
      if (taken >= concurrent) return { retryMs: OCCUPIED_MS };
      times.push(now);
      taken += 1;
      return {
        release: () => {
          taken -= 1;
        },
      };
    },
  };
}
