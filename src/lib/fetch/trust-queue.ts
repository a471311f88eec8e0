import PQueue from 'p-queue';
import type { Trust } from './hop.js';

/**
 * Runs tasks, so many at once. Tasks for learned sources get at most half of the slots, and wait behind tasks for
 * configured ones: what strangers made known cannot keep what the operator asked for waiting, however slow it is.
 * A queue of a single slot has none to reserve; there, only the order holds.
 */
export class TrustQueue {
  readonly #all: PQueue;
  readonly #learned: PQueue;

  constructor(slots: number) {
    this.#all = new PQueue({ concurrency: slots });
    this.#learned = new PQueue({ concurrency: Math.max(1, Math.floor(slots / 2)) });
  }

  /** Tasks that have a slot now. */
  get running(): number {
    return this.#all.pending;
  }

  /** Is nothing running, and nothing waiting? */
  get isIdle(): boolean {
    return [this.#all, this.#learned].every((queue) => queue.size + queue.pending === 0);
  }

  /** Resolves or rejects as the task does; with the reason of the signal when that is aborted, which gives the slot back. */
  run<T>(task: () => Promise<T>, trust: Trust, signal?: AbortSignal): Promise<T> {
    if (trust === 'configured') return this.#all.add(task, { priority: 1, signal });
    return this.#learned.add(() => this.#all.add(task, { signal }), { signal });
  }

  /** Calls back each time the last task has ended. */
  onIdle(listener: () => void): void {
    for (const queue of [this.#all, this.#learned]) {
      queue.on('idle', () => {
        if (this.isIdle) listener();
      });
    }
  }
}
