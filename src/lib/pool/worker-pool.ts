import PQueue from 'p-queue';
import type { Clock } from '../clock.js';
import { MalformedInput } from '../faults.js';
import { withoutPause } from '../pace.js';
import type { Undecoded } from './handed-text.js';
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

/**
 * Runs tasks in worker threads, which are started on demand. A thread is ended when its task takes too long or too much
 * memory, or when its result is not needed any more; the next task gets a new thread. No task can end the process.
 */
export class WorkerPool implements ClosablePool {
  readonly #options: WorkerPoolOptions & typeof DEFAULTS;
  readonly #threads: Threads;
  readonly #figures = ofLanes(noTasks);
  /** A task waits in that of its lane, which lets one less than all of them on: so lanes take turns in the one for all. */
  readonly #lanes: Readonly<Record<Lane, PQueue>>;
  readonly #all: PQueue;
  readonly #large = new PQueue({ concurrency: 1 });
  /** Refuses those that wait. */
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { threads } = this.#options;
    this.#threads = new Threads(this.#options);
    this.#lanes = ofLanes(() => new PQueue({ concurrency: Math.max(1, threads - 1) }));
    this.#all = new PQueue({ concurrency: threads });
  }

  readonly figures = (): PoolFigures => ({
    threads: this.#threads.count,
    lanes: structuredClone(this.#figures),
  });

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
    const leave = await this.#turn(lane, isLarge, signal);
    let thread: WorkerThread | undefined;
    let time: TaskTime | undefined;
    // Until it is known better: the receiver has left the loop.
    let end: TaskEnd = 'dropped';
    try {
      if (this.#closed) throw stopping();
      const reader = this.#threads.take(heapMb, isLarge);
      thread = reader;
      await this.#within(() => reader.ready, startingFor(), signal);
      time = new TaskTime(this.#options.deadlineMs(size), () => reader.processorMs);
      let answer = await this.#ask(reader, { module, name, input }, time, signal);
      while (answer.kind === 'piece') {
        yield answer.piece as Piece;
        answer = await this.#ask(reader, 'more', time, signal);
      }
      end = answer.kind === 'done' ? 'done' : 'failed';
      if (answer.kind === 'failed') throw errorOf(answer);
    } catch (error) {
      if (end === 'dropped' && !signal?.aborted && !this.#closed) {
        end = error instanceof MalformedInput || error instanceof PoolBusy ? 'killed' : 'failed';
      }
      throw error;
    } finally {
      const figures = this.#figures[lane];
      figures.seconds += (time?.usedMs ?? 0) / 1000;
      figures.running -= 1;
      figures.ended[end] += 1;
      if (thread) this.#release(thread, end, isLarge);
      leave();
    }
  }

  /** Refuses the waiting tasks and ends the running ones. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const refuse of this.#waiting) refuse();
    await this.#threads.close();
  }

  /** Resolves when it is the task's turn, with what ends that. */
  #turn(lane: Lane, isLarge: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    const figures = this.#figures[lane];
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(stopping());
      if (signal?.aborted) return reject(signal.reason);
      let isWaiting = true;
      const settle = () => {
        isWaiting = false;
        figures.waiting -= 1;
        this.#waiting.delete(refuse);
        signal?.removeEventListener('abort', giveUp);
      };
      const refuse = () => {
        settle();
        reject(stopping());
      };
      const giveUp = () => {
        settle();
        figures.ended.dropped += 1;
        reject(signal?.reason);
      };
      const begin = () =>
        new Promise<void>((leave) => {
          if (!isWaiting) return leave();
          settle();
          figures.running += 1;
          resolve(leave);
        });
      figures.waiting += 1;
      this.#waiting.add(refuse);
      signal?.addEventListener('abort', giveUp, { once: true });
      const inLane = () => this.#lanes[lane].add(() => this.#all.add(begin));
      void (isLarge ? this.#large.add(inLane) : inLane());
      // Those that could not begin at once wait behind others.
      if (!isWaiting || figures.waiting <= this.#options.waiting) return;
      settle();
      figures.ended.refused += 1;
      reject(new PoolBusy());
    });
  }

  #release(thread: WorkerThread, end: TaskEnd, isLarge: boolean): void {
    const reusable = !isLarge && (end === 'done' || end === 'failed');
    if (reusable) this.#threads.keep(thread);
    else this.#threads.end(thread);
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
  return {
    waiting: 0,
    running: 0,
    seconds: 0,
    ended: { done: 0, failed: 0, killed: 0, dropped: 0, refused: 0 },
  };
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

function ofLanes<T>(make: () => T): Record<Lane, T> {
  return Object.fromEntries(LANES.map((lane) => [lane, make()])) as Record<Lane, T>;
}

function stopping(): Error {
  return new Error('the node is stopping');
}
