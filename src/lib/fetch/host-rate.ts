import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import { hostKey } from './hop.js';

/** Requests to one host: so many at once, then one in so many ms. What hosts were asked is remembered for so many of them. */
const RATE = { burst: 60, each: 1000, hosts: 10_000 } as const;

/** Bounds how often a host is asked: resolves when it may be asked once more; rejects with the reason of the signal. */
export function hostRate(clock: Clock) {
  const { burst, each, hosts } = RATE;
  /** The time from which on a host may be asked a whole burst again, in ms since the epoch. */
  const free = new LRUCache<string, number>({ max: hosts });
  return async (url: URL, signal: AbortSignal | undefined): Promise<void> => {
    const host = hostKey(url);
    for (;;) {
      const now = clock.now();
      // A time that is farther away was noted before the clock was set back.
      const from = Math.min(Math.max(free.get(host) ?? 0, now), now + burst * each);
      const wait = from - now - (burst - 1) * each;
      // Only what is asked counts, and not who waits: those who give up leave nothing behind.
      free.set(host, wait > 0 ? from : from + each);
      if (wait <= 0) return;
      await clock.sleep(wait, signal);
    }
  };
}
