import type { Clock } from '../clock.js';
import { MalformedInput } from '../faults.js';
import { withoutPause } from '../pace.js';
import type { Undecoded } from './handed-text.js';
import { Lanes } from './lanes.js';
import { errorOf, type FromWorker, type ToWorker } from './messages.js';
import {
  type ClosablePool,
  inProcess,
  LANES,
  type Lane,
  type LaneFigures,
  PoolBusy,
  type PoolFigures,
  type Task,
  type TaskEnd,
  type TaskOptions,
} from './task.js';
import { TaskTime } from './task-time.js';
import { Threads } from './threads.js';
import { couldNotStart, type WorkerThread } from './worker-thread.js';

export interface WorkerPoolOptions {
  readonly clock: Clock;
  /** Number of threads at most; one lane uses at most all but one of them, so that the others always have one. */
  readonly threads?: number;
  /**
   * Megabytes of heap for a large document, of which one is read at a time. Measured: ten megabytes of 20,000 components
   * pass with 64, as Turtle and as JSON-LD, and 80,000 of the smallest with 80.
   */
  readonly heapMb?: number;
  /** Megabytes of heap for each thread that reads documents of less than `LARGE`. */
  readonly smallHeapMb?: number;
  /** How many tasks may wait in one lane. */
  readonly waiting?: number;
  /** How long a thread without a task is kept, in ms. */
  readonly idleMs?: number;
  /**
   * How much processor time a worker may take for a document of this many characters, in ms. By the clock it may take
   * many times as long (`TaskTime`), not counting the time of the receiver.
   */
  readonly deadlineMs?: (size: number) => number;
  /** What threads run; the script of this folder if undefined. */
  readonly script?: URL | undefined;
}

/** Heap that a document takes, as a multiple of its bytes, and the least and the most that a thread gets, in MB. */
const HEAP = { factor: 8, least: 80, most: 4096 };

/** Megabytes of heap for threads that read documents of so many bytes. */
export function heapFor(maxBytes: number): number {
  return Math.min(HEAP.most, Math.max(HEAP.least, Math.ceil((maxBytes / 1_000_000) * HEAP.factor)));
}

const DEFAULTS = {
  threads: 2,
  heapMb: HEAP.least,
  smallHeapMb: 48,
  waiting: 64,
  idleMs: 10_000,
  // The slowest format, JSON-LD, takes 0.3 s per MB on a quiet machine.
  deadlineMs: (size: number) => 5000 + size * 0.0015,
};

/**
 * Characters or bytes from which on a document is large: it gets more heap, and no other large one is read meanwhile. Its
 * thread is not kept: it would hold what it has taken for the document while it is idle.
 */
const LARGE = 1_000_000;

/** How long a thread may take to start, in ms. */
const START_MS = 30_000;

interface Job {
  readonly lane: Lane;
  readonly isLarge: boolean;
  readonly heapMb: number;
  readonly start: (thread: WorkerThread) => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * Runs tasks in worker threads, which are started on demand. A thread is ended when its task takes too long or too much
 * memory, or when its result is not needed any more; the next task gets a new thread. No task can end the process.
 */
export class WorkerPool implements ClosablePool {
  readonly #options: WorkerPoolOptions & typeof DEFAULTS;
  readonly #waiting: Lanes<Job, Lane>;
  readonly #threads: Threads;
  readonly #lanes: Readonly<Record<Lane, LaneFigures>>;
  #readsLarge = false;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#waiting = new Lanes(this.#options.waiting);
    this.#threads = new Threads(this.#options);
    this.#lanes = Object.fromEntries(LANES.map((lane) => [lane, noTasks()])) as Record<Lane, LaneFigures>;
  }

  readonly figures = (): PoolFigures => {
    const ofLane = (lane: Lane) => ({ ...this.#lanes[lane], waiting: this.#waiting.waiting(lane) });
    const lanes = Object.fromEntries(LANES.map((lane) => [lane, ofLane(lane)])) as PoolFigures['lanes'];
    return { threads: this.#threads.count, lanes };
  };

  async *run<Input, Piece>(
    task: Task<Input, Piece>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    const { module, name, short = -1, heapPerMb = 0 } = task;
    const { lane, size, signal } = options;
    if (size <= short) return yield* inProcess(withoutPause).run(task, input, options);
    const isLarge = size >= LARGE;
    const { heapMb: least, smallHeapMb } = this.#options;
    const heapMb = isLarge ? Math.max(least, Math.ceil((size / 1_000_000) * heapPerMb)) : smallHeapMb;
    const thread = await this.#turn({ lane, isLarge, heapMb }, signal);
    let time: TaskTime | undefined;
    // Until it is known better: the receiver has left the loop.
    let end: TaskEnd = 'dropped';
    try {
      await this.#within(() => thread.ready, startingFor(), signal);
      time = new TaskTime(this.#options.deadlineMs(size), () => thread.processorMs);
      let answer = await this.#ask(thread, { module, name, input }, time, signal);
      while (answer.kind === 'piece') {
        yield answer.piece as Piece;
        answer = await this.#ask(thread, 'more', time, signal);
      }
      end = answer.kind === 'done' ? 'done' : 'failed';
      if (answer.kind === 'failed') throw errorOf(answer);
    } catch (error) {
      if (end === 'dropped' && !signal?.aborted && !this.#closed) {
        end = error instanceof MalformedInput || error instanceof PoolBusy ? 'killed' : 'failed';
      }
      throw error;
    } finally {
      this.#lanes[lane].seconds += (time?.usedMs ?? 0) / 1000;
      this.#release(thread, lane, end, isLarge);
    }
  }

  /** Refuses the waiting tasks and ends the running ones. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#closed = true;
    for (let job = this.#waiting.next(always); job; job = this.#waiting.next(always)) job.refuse(stopping());
    await this.#threads.close();
  }

  /** Resolves with a thread when it is the task's turn. */
  #turn(
    wanted: Pick<Job, 'lane' | 'isLarge' | 'heapMb'>,
    signal: AbortSignal | undefined,
  ): Promise<WorkerThread> {
    const { lane } = wanted;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(stopping());
      if (signal?.aborted) return reject(signal.reason);
      const giveUp = () => {
        this.#waiting.remove(lane, job);
        this.#lanes[lane].ended.dropped += 1;
        reject(signal?.reason);
      };
      const settled = () => signal?.removeEventListener('abort', giveUp);
      const job: Job = {
        ...wanted,
        start: (thread) => {
          settled();
          resolve(thread);
        },
        refuse: (reason) => {
          settled();
          reject(reason);
        },
      };
      if (!this.#waiting.add(lane, job)) {
        this.#lanes[lane].ended.refused += 1;
        return reject(new PoolBusy());
      }
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#startJobs();
    });
  }

  #startJobs(): void {
    const { threads } = this.#options;
    const mostOfLane = Math.max(1, threads - 1);
    const mayGo = (lane: Lane, { isLarge }: Job) =>
      this.#lanes[lane].running < mostOfLane && !(isLarge && this.#readsLarge);
    while (this.#busy < threads) {
      const job = this.#waiting.next(mayGo);
      if (!job) return;
      try {
        job.start(this.#threads.take(job.heapMb, job.isLarge));
        this.#lanes[job.lane].running += 1;
        if (job.isLarge) this.#readsLarge = true;
      } catch (cause) {
        job.refuse(couldNotStart(cause));
      }
    }
  }

  get #busy(): number {
    return LANES.reduce((sum, lane) => sum + this.#lanes[lane].running, 0);
  }

  #release(thread: WorkerThread, lane: Lane, end: TaskEnd, isLarge: boolean): void {
    const figures = this.#lanes[lane];
    figures.running -= 1;
    figures.ended[end] += 1;
    if (isLarge) this.#readsLarge = false;
    const reusable = !isLarge && (end === 'done' || end === 'failed');
    if (reusable) this.#threads.keep(thread);
    else this.#threads.end(thread);
    if (!this.#closed) this.#startJobs();
  }

  /** Asks a thread, and counts how long that takes. */
  async #ask(
    thread: WorkerThread,
    order: ToWorker,
    time: TaskTime,
    signal?: AbortSignal,
  ): Promise<FromWorker> {
    let began = performance.now();
    const left = () => {
      const now = performance.now();
      time.lasted(now - began);
      began = now;
      return time.left();
    };
    try {
      return await this.#within(() => thread.ask(order), left, signal);
    } finally {
      time.lasted(performance.now() - began);
    }
  }

  /** Resolves with an answer. Rejects when `left`, which says how many ms are left, throws, or when the signal is aborted. */
  async #within<T>(ask: () => Promise<T>, left: () => number, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const answered = new AbortController();
    const giveUp = () => answered.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([ask(), this.#expiry(left, answered.signal)]);
    } catch (error) {
      // When the node stops, its workers end: this says nothing about the document.
      throw this.#closed ? stopping() : error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
      answered.abort();
    }
  }

  async #expiry(left: () => number, answered: AbortSignal): Promise<never> {
    for (;;) await this.#options.clock.sleep(Math.max(1, left()), answered);
  }
}

function noTasks(): LaneFigures {
  return { running: 0, seconds: 0, ended: { done: 0, failed: 0, killed: 0, dropped: 0, refused: 0 } };
}

/** How long a thread may yet take to start; throws when that is over. */
function startingFor(): () => number {
  const began = performance.now();
  return () => {
    const left = began + START_MS - performance.now();
    if (left > 0) return left;
    throw couldNotStart(new Error(`it has not answered for ${START_MS / 1000} s`));
  };
}

function always(): boolean {
  return true;
}

function stopping(): Error {
  return new Error('the node is stopping');
}
