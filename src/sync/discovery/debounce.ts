import type { Clock } from '../../lib/clock.js';
import { TokenBucket } from '../../lib/token-bucket.js';

/** What is waited for further changes, as a part of the time between two polls, and ms at most. */
const QUIET = { part: 1 / 300, mostMs: 1_000 } as const;
/** Changes are followed so many times without a longer wait, and then once in such a part of the time between two polls. */
const FOLLOWED = { atOnce: 5, part: 0.1, mostMs: 30_000 } as const;

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
  const bucket = new TokenBucket(FOLLOWED.atOnce, Math.min(FOLLOWED.mostMs, interval * FOLLOWED.part));
  const quiet = Math.min(QUIET.mostMs, interval * QUIET.part);
  let isWaiting = false;
  const begin = () => {
    isWaiting = false;
    follow();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    clock.sleep(Math.max(quiet, bucket.take(clock.now())), signal).then(begin, () => undefined);
  };
}
