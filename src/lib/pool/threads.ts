import type { Clock } from '../clock.js';
import { couldNotStart, WorkerThread, type WorkerThreadOptions } from './worker-thread.js';

export interface ThreadsOptions {
  readonly clock: Clock;
  readonly script?: WorkerThreadOptions['script'];
  /** How long a thread without a task is kept, in ms. */
  readonly idleMs: number;
}

/** The threads of a pool: started when there is none at hand, and ended when they have had nothing to do for a while. */
export class Threads {
  readonly #options: ThreadsOptions;
  /** Threads without a task, each with what stops the wait for its end. */
  readonly #idle = new Map<WorkerThread, AbortController>();
  /** All that were started and not ended from here, idle ones included. */
  readonly #all = new Set<WorkerThread>();
  #closed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /** Those that run, idle ones included. */
  get count(): number {
    return [...this.#all].filter(({ ended }) => !ended).length;
  }

  /**
   * An idle thread, or a new one with so much heap. Where `alone`, threads that are idle then are ended, because each of
   * them holds some 30 MB. @throws Error when the system grants no more threads
   */
  take(heapMb: number, alone = false): WorkerThread {
    // The one that was used last comes first, so that a second thread ends when one is enough.
    for (const [thread, used] of [...this.#idle].reverse()) {
      if (thread.heapMb !== heapMb) continue;
      this.#idle.delete(thread);
      used.abort();
      if (thread.ended) {
        this.end(thread);
        continue;
      }
      thread.keepAlive(true);
      return thread;
    }
    if (alone) this.#endIdle();
    try {
      const thread = new WorkerThread({ heapMb, script: this.#options.script });
      this.#all.add(thread);
      return thread;
    } catch (cause) {
      throw couldNotStart(cause);
    }
  }

  /** Keeps a thread for the next task, for `idleMs`. */
  keep(thread: WorkerThread): void {
    if (this.#closed) {
      this.end(thread);
      return;
    }
    const used = new AbortController();
    this.#idle.set(thread, used);
    thread.keepAlive(false);
    this.#options.clock.sleep(this.#options.idleMs, used.signal).then(
      () => {
        this.#idle.delete(thread);
        this.end(thread);
      },
      () => undefined,
    );
  }

  #endIdle(): void {
    for (const [thread, used] of this.#idle) {
      used.abort();
      this.end(thread);
    }
    this.#idle.clear();
  }

  end(thread: WorkerThread): void {
    thread.terminate().finally(() => this.#all.delete(thread));
  }

  /** Ends all threads, whatever they do. Resolves when none is left. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const used of this.#idle.values()) used.abort();
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }
}
