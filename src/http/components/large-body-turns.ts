import PQueue from 'p-queue';
import { PoolBusy } from '../../lib/pool/task.js';

/** Bytes from which on a body waits for its turn: what is made of it takes ten times its own memory. */
const LARGE = 100_000;
/** Bodies that may wait. */
const MOST_WAITING = 64;

export type LargeBodyTurns = <T>(size: number, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/**
 * Runs tasks for large bodies one after another, and those for others at once. Their changes are written one after
 * another in any case. A task rejects with PoolBusy when too many wait.
 */
export function largeBodyTurns(): LargeBodyTurns {
  const queue = new PQueue({ concurrency: 1 });
  return async (size, signal, task) => {
    if (size < LARGE) return task();
    if (queue.size >= MOST_WAITING) throw new PoolBusy();
    return queue.add(task, { signal });
  };
}
