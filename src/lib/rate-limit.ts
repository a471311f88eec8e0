import type { Clock } from './clock.js';

/** Lets in a bounded number of strangers: `enter` gives the way out, or the ms after which to try again. */
export interface Turnstile {
  enter(): { leave: () => void } | { retryMs: number };
}

/** At most `concurrent` inside at any moment, and `perMinute` entries in any minute. */
export function createTurnstile(
  clock: Pick<Clock, 'now'>,
  { concurrent, perMinute }: { concurrent: number; perMinute: number },
): Turnstile {
  let inside = 0;
  let entries: number[] = [];
  return {
    enter() {
      const now = clock.now();
      entries = entries.filter((entry) => entry > now - 60_000);
      const [oldest = now] = entries;
      if (entries.length >= perMinute) return { retryMs: oldest + 60_000 - now };
      if (inside >= concurrent) return { retryMs: 1000 };
      entries.push(now);
      inside += 1;
      return {
        leave: () => {
          inside -= 1;
        },
      };
    },
  };
}
