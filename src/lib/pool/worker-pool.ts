import type { Clock } from '../clock.js';
import { MalformedInput } from '../faults.js';
import { Lanes } from './lanes.js';
import { errorOf, type FromWorker, type ToWorker } from './messages.js';
import { PoolBusy, type Task, type TaskOptions, type TaskPool } from './task.js';
import { couldNotStart, WorkerThread } from './worker-thread.js';

export interface WorkerPoolOptions {
  readonly clock: Clock;
  /** Number of threads at most; one lane uses at most all but one of them, so that the others always have one. */
  readonly threads?: number;
  /** Megabytes of heap for each thread. Measured: ten megabytes of 20,000 components pass with 96, as Turtle and as JSON-LD. */
  readonly heapMb?: number;
  /** How many tasks may wait in one lane. */
  readonly waiting?: number;
  /** How long a thread without a task is kept, in ms. */
  readonly idleMs?: number;
  /** How long a worker may take for a document of this many characters, in ms, not counting the time of the receiver. */
  readonly deadlineMs?: (size: number) => number;
  /** What threads run; the script of this folder if undefined. */
  readonly script?: URL | undefined;
}

/** Heap that a document takes, as a multiple of its bytes, and the least and the most that a thread gets, in MB. */
const HEAP = { factor: 9.6, least: 96, most: 4096 };

/** Megabytes of heap for threads that read documents of so many bytes. */
export function heapFor(maxBytes: number): number {
  return Math.min(HEAP.most, Math.max(HEAP.least, Math.ceil((maxBytes / 1_000_000) * HEAP.factor)));
}

const DEFAULTS = {
  threads: 2,
  heapMb: HEAP.least,
  waiting: 64,
  idleMs: 10_000,
  // The slowest format, JSON-LD, takes 0.3 s per MB on a quiet machine.
  deadlineMs: (size: number) => 5000 + size * 0.0015,
  script: undefined,
};

/** Characters of a document after which a thread is not kept: it would hold what it has taken for the document while it is idle. */
const LARGE = 1_000_000;

/** How long a thread may take to start, in ms. */
const START_MS = 30_000;

interface Budget {
  leftMs: number;
  readonly signal: AbortSignal | undefined;
}

interface Job {
  readonly lane: string;
  readonly start: (thread: WorkerThread) => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Runs tasks in worker threads, which are started on demand. A thread is ended when its task takes too long or too much
 * memory, or when its result is not needed any more; the next task gets a new thread. No task can end the process.
 */
export class WorkerPool implements TaskPool {
  readonly #options: Required<WorkerPoolOptions>;
  readonly #lanes: Lanes<Job>;
  /** Threads without a task, each with what stops the wait for its end. */
  readonly #idle = new Map<WorkerThread, AbortController>();
  /** Those that have not ended, idle ones included. */
  readonly #threads = new Set<WorkerThread>();
  /** How many tasks of a lane are running. */
  readonly #running = new Map<string, number>();
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#lanes = new Lanes(this.#options.waiting);
  }

  async *run<Input, Piece>(
    { module, name }: Task<Input, Piece>,
    input: Input,
    { lane, size, signal }: TaskOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    const thread = await this.#turn(lane, signal);
    const budget = { leftMs: this.#options.deadlineMs(size), signal };
    let reusable = false;
    try {
      await this.#within(() => thread.ready, START_MS, neverStarted, signal);
      let answer = await this.#ask(thread, { module, name, input }, budget);
      while (answer.kind === 'piece') {
        yield answer.piece as Piece;
        answer = await this.#ask(thread, 'more', budget);
      }
      reusable = size < LARGE;
      if (answer.kind === 'failed') throw errorOf(answer);
    } finally {
      this.#release(thread, lane, reusable);
    }
  }

  /** Refuses the waiting tasks and ends the running ones. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#closed = true;
    for (let job = this.#lanes.next(always); job; job = this.#lanes.next(always)) job.refuse(stopping());
    for (const used of this.#idle.values()) used.abort();
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  /** Resolves with a thread when it is the task's turn. */
  #turn(lane: string, signal: AbortSignal | undefined): Promise<WorkerThread> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(stopping());
      if (signal?.aborted) return reject(signal.reason);
      const giveUp = () => {
        this.#lanes.remove(lane, job);
        reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener('abort', giveUp);
      const job: Job = {
        lane,
        start: (thread) => {
          settled();
          resolve(thread);
        },
        refuse: (reason) => {
          settled();
          reject(reason);
        },
      };
      if (!this.#lanes.add(lane, job)) return reject(new PoolBusy());
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#startJobs();
    });
  }

  #startJobs(): void {
    const { threads } = this.#options;
    const mostOfLane = Math.max(1, threads - 1);
    const mayGo = (lane: string) => (this.#running.get(lane) ?? 0) < mostOfLane;
    while (this.#busy < threads) {
      const job = this.#lanes.next(mayGo);
      if (!job) return;
      try {
        job.start(this.#thread());
        this.#running.set(job.lane, (this.#running.get(job.lane) ?? 0) + 1);
      } catch (cause) {
        job.refuse(couldNotStart(cause));
      }
    }
  }

  get #busy(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @throws what the system says when it grants no more threads */
  #thread(): WorkerThread {
    // The one that was used last comes first, so that a second thread ends when one is enough.
    for (const [thread, used] of [...this.#idle].reverse()) {
      this.#idle.delete(thread);
      used.abort();
      if (thread.ended) {
        this.#end(thread);
        continue;
      }
      thread.keepAlive(true);
      return thread;
    }
    const { heapMb, script } = this.#options;
    const thread = new WorkerThread(heapMb, script);
    this.#threads.add(thread);
    return thread;
  }

  #release(thread: WorkerThread, lane: string, reusable: boolean): void {
    const running = (this.#running.get(lane) ?? 1) - 1;
    if (running === 0) this.#running.delete(lane);
    else this.#running.set(lane, running);
    if (reusable && !this.#closed) this.#rest(thread);
    else this.#end(thread);
    if (!this.#closed) this.#startJobs();
  }

  /** Keeps a thread for the next task, for `idleMs`. */
  #rest(thread: WorkerThread): void {
    const used = new AbortController();
    this.#idle.set(thread, used);
    thread.keepAlive(false);
    this.#options.clock.sleep(this.#options.idleMs, used.signal).then(
      () => {
        this.#idle.delete(thread);
        this.#end(thread);
      },
      () => undefined,
    );
  }

  #end(thread: WorkerThread): void {
    thread.terminate().finally(() => this.#threads.delete(thread));
  }

  /** Asks a thread, and takes the time for it off the budget. */
  async #ask(thread: WorkerThread, order: ToWorker, budget: Budget): Promise<FromWorker> {
    const began = performance.now();
    try {
      return await this.#within(
        () => thread.ask(order),
        Math.max(1, budget.leftMs),
        tooComplex,
        budget.signal,
      );
    } finally {
      budget.leftMs -= performance.now() - began;
    }
  }

  /** Resolves with an answer. Rejects when it takes longer than so many ms, or when the signal is aborted. */
  async #within<T>(ask: () => Promise<T>, ms: number, late: () => Error, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const answered = new AbortController();
    const giveUp = () => answered.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    const limit = this.#options.clock.sleep(ms, answered.signal).then(() => Promise.reject(late()));
    try {
      return await Promise.race([ask(), limit]);
    } catch (error) {
      // When the node stops, its workers end: this says nothing about the document.
      throw this.#closed ? stopping() : error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
      answered.abort();
    }
  }
}

function tooComplex(): Error {
  return new MalformedInput('reading it takes too long: it is too large or too complex for this node');
}

function neverStarted(): Error {
  return couldNotStart(new Error(`it has not answered for ${START_MS / 1000} s`));
}

function always(): boolean {
  return true;
}

function stopping(): Error {
  return new Error('the node is stopping');
}
