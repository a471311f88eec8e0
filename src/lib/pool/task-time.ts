import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.js';
import { TaskTimeout } from '../faults.js';
import { PoolBusy } from './task.js';

/** How much longer than its processor time a task may last, as a multiple: others may need the processor, too. */
const MOST_LASTING = 20;

/** The unit of times in `/proc` (`USER_HZ`), the same on all machines that Node.js runs on. */
const TICK_MS = 10;

/** The time that one task takes: of a processor, and by the clock, without the time of its receiver. */
export class TaskTime {
  readonly #thread: string | undefined;
  readonly #before: number;
  #usedMs = 0;
  /** Does the receiver wait for the task? */
  isAwaited = true;

  /** @param thread its place below `/proc`; undefined where the system tells nothing of threads */
  constructor(thread: string | undefined) {
    this.#thread = thread;
    this.#before = processorMs(thread);
  }

  /** The processor time of the task so far, in ms. */
  get usedMs(): number {
    // A thread that has ended tells nothing more.
    this.#usedMs = Math.max(this.#usedMs, processorMs(this.#thread) - this.#before);
    return this.#usedMs;
  }

  /** Resolves with the fault of a task that has used up its time. Rejects when the signal is aborted before. */
  async expiry(allowedMs: number, clock: Clock, signal: AbortSignal): Promise<Error> {
    const allowed = `${allowedMs / 1000} s`;
    for (let lastedMs = 0; lastedMs < MOST_LASTING * allowedMs; ) {
      const pauseMs = Math.max(TICK_MS, allowedMs - this.usedMs);
      await clock.sleep(pauseMs, signal);
      if (this.isAwaited) lastedMs += pauseMs;
      if (this.usedMs < allowedMs) continue;
      const why = 'it is too large or too complex for this node';
      return new TaskTimeout(`reading it takes more than ${allowed} of processor time: ${why}`);
    }
    const lasted = `this node was too busy to read it within ${(MOST_LASTING * allowedMs) / 1000} s`;
    if (this.#thread === undefined) return new PoolBusy(`${lasted}, or it is too complex`);
    const used = (this.usedMs / 1000).toFixed(1);
    return new PoolBusy(`${lasted}: it had got ${used} s of processor time, of ${allowed} that it may take`);
  }
}

/**
 * What a thread has had of a processor since it began, in ms; 0 where nobody knows. Not from `eventLoopUtilization()`,
 * which counts the time that a thread waits for a processor as active.
 */
function processorMs(thread: string | undefined): number {
  if (thread === undefined) return 0;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The second field may contain spaces and brackets; `utime` and `stime` are the 14th and 15th (proc_pid_stat(5)).
    const [utime, stime] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(utime) + Number(stime)) * TICK_MS;
  } catch {
    return 0;
  }
}
