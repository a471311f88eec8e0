import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import { hostKey } from './hop.js';

/**
 * How a host is spared what strangers name of it: so many requests may come at once, then one in so many ms. For how many
 * hosts it is remembered when they were asked.
 */
const SPARED = { burst: 60, each: 1000, hosts: 10_000 } as const;

/** Bounds how often hosts are asked. Resolves when the host of a URL may be asked; rejects with the reason of the signal. */
export function sparedHosts(clock: Clock) {
  const { burst, each, hosts } = SPARED;
  /** When each host will have been spared for all that it was asked for, in ms since the epoch. */
  const spared = new LRUCache<string, number>({ max: hosts });
  return async (url: URL, signal: AbortSignal | undefined): Promise<void> => {
    const now = clock.now();
    const noted = spared.get(hostKey(url)) ?? now;
    // A time that is as far away was noted before the clock was set back.
    const from = noted > now + 2 * burst * each ? now : Math.max(noted, now);
    spared.set(hostKey(url), from + each);
    const wait = from + each - now - burst * each;
    if (wait > 0) await clock.sleep(wait, signal);
  };
}
