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
  let latest = 0;
  return async (url: URL, signal: AbortSignal | undefined): Promise<void> => {
    const now = clock.now();
    // Times that were noted before the clock was set back would be waited for.
    if (now < latest) free.clear();
    latest = now;
    const until = Math.max(free.get(hostKey(url)) ?? 0, now) + each;
    free.set(hostKey(url), until);
    const wait = until - now - burst * each;
    if (wait > 0) await clock.sleep(wait, signal);
  };
}
