import type { Clock } from '../../lib/clock.js';
import { TokenBucket } from '../../lib/token-bucket.js';

/** How long to wait for further changes before following them: this part of the time between two polls, and at most a second. */
const QUIET = { part: 1 / 300, mostMs: 1_000 } as const;
/** How many times changes are followed without a longer wait. */
const AT_ONCE = 5;
/** Beyond that, once in a tenth of the time between two polls, and at least once in 30 s. */
const EACH = { part: 0.1, mostMs: 30_000 } as const;

interface DebounceOptions {
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  /** Called when what has changed is to be followed. */
  readonly follow: () => void;
  /** Nothing is followed any more once this is aborted. */
  readonly signal: AbortSignal;
}

/**
 * Makes what says that something has changed: it is followed together with what changes in the next moment, and later when there
 * is always something. While nodes join a network, many peers tell of each of them, and each change that is passed on makes all
 * followers ask for it.
 */
export function debounce({ clock, interval, follow, signal }: DebounceOptions): () => void {
  const bucket = new TokenBucket(AT_ONCE, Math.min(EACH.mostMs, interval * EACH.part));
  const quiet = Math.min(QUIET.mostMs, interval * QUIET.part);
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    const wait = Math.max(quiet, bucket.take(clock.now()));
    const begin = () => {
      isWaiting = false;
      follow();
    };
    clock.sleep(wait, signal).then(begin, () => undefined);
  };
}
