import PQueue from 'p-queue';
import { Piscina } from 'piscina';
import type { Clock } from '../clock.js';
import { MalformedInput, TaskTimeout } from '../faults.js';
import { type LinkedAbort, linkedAbort } from '../linked-abort.js';
import type { Pace } from '../pace.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { unpacked } from './packed.js';
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
  type Undecoded,
} from './task.js';
import type { Order, Outcome } from './worker.js';

/** Heap that a document takes, as a multiple of its bytes, and the least and the most that a thread gets, in MB. */
const HEAP = { factor: 8, least: 80, most: 4096 };

/**
 * Megabytes of heap for threads that read documents of so many bytes. Measured: ten megabytes of 20,000 components pass with
 * 64, as Turtle and as JSON-LD, and 80,000 of the smallest with 80.
 */
export function heapFor(maxBytes: number): number {
  return Math.min(HEAP.most, Math.max(HEAP.least, Math.ceil((maxBytes / 1_000_000) * HEAP.factor)));
}

/** Megabytes for what a task has just made. The engine's own choice is three times as much, of resident memory. */
const YOUNG_MB = 8;

const DEFAULTS = {
  /** Number of threads at most; one lane uses at most all but one of them, so that the others always have one. */
  threads: 2,
  /** Megabytes of heap for each thread. */
  heapMb: HEAP.least,
  /** How many tasks may wait in one lane. */
  waiting: 64,
  /** How long a thread without a task is kept, in ms. */
  idleMs: 10_000,
  /**
   * How long a worker may take for a document of so many characters, in ms by the clock. The slowest
   * format, JSON-LD, takes 0.3 s per MB on a quiet machine: on a busy one, a sound document must not be called too complex.
   */
  deadlineMs: (size: number) => 20_000 + size * 0.006,
  /** What threads run: `worker.ts`, as the build compiles it. Where nodes run from the sources, use `inProcess` instead. */
  script: new URL('lib/pool/worker.js', PROGRAM_FOLDER),
};

export type WorkerPoolOptions = {
  readonly clock: Clock;
  /** How the reading of results gives way to other work. */
  readonly pace: Pace;
} & Readonly<Partial<typeof DEFAULTS>>;

/**
 * Runs tasks in worker threads, which are started on demand. A thread is ended when its task takes too long or too much
 * memory, or when its result is not needed any more; the next task gets a new thread. No task can end the process.
 */
export class WorkerPool implements ClosablePool {
  readonly #options: WorkerPoolOptions & typeof DEFAULTS;
  readonly #figures = ofLanes(noTasks);
  /** Each begins one task fewer than there are threads, so that no lane has all of them. */
  readonly #lanes: Readonly<Record<Lane, PQueue>>;
  /**
   * Begins as many tasks of all lanes as there are threads: none waits inside piscina, which starts no new
   * thread for it when it has ended a working one.
   */
  readonly #all: PQueue;
  readonly #threads: Piscina;
  /** Ends those that wait or run. */
  readonly #stops = new Set<LinkedAbort>();
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { threads, heapMb, idleMs, script } = this.#options;
    this.#lanes = ofLanes(() => new PQueue({ concurrency: Math.max(1, threads - 1) }));
    this.#all = new PQueue({ concurrency: threads });
    this.#threads = new Piscina({
      ...{ filename: script.href, minThreads: 0, maxThreads: threads, idleTimeout: idleMs },
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
      // Between tasks, threads need not answer faster than by messages; blocked in `Atomics.wait`, they could not even end.
      atomics: 'disabled',
    });
    // A thread has ended that had no task yet: no other can start, either.
    this.#threads.on('error', (cause) => this.#stopAll(this.#faultOf(cause)));
  }

  readonly figures = (): PoolFigures => ({
    threads: this.#threads.threads.length,
    lanes: structuredClone(this.#figures),
  });

  async run<Input, Result extends object>(
    task: Task<Input, Result>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): Promise<Result> {
    const { module, name, short = -1 } = task;
    const { text } = input as { readonly text: string | Uint8Array };
    const { lane, signal, size = text.length } = options;
    if (size <= short) return inProcess.run(task, input, options);
    if (this.#closed) throw stopping();
    signal?.throwIfAborted();
    const figures = this.#figures[lane];
    if (figures.waiting >= this.#options.waiting) {
      figures.ended.refused += 1;
      throw new PoolBusy();
    }
    const stop = linkedAbort(signal);
    this.#stops.add(stop);
    // Until it is known better: nobody waits for it any more.
    let end: TaskEnd = 'dropped';
    let phase: 'waiting' | 'running' = 'waiting';
    figures.waiting += 1;
    const work = () => {
      figures.waiting -= 1;
      phase = 'running';
      figures.running += 1;
      return this.#inThread({ module, name, input }, { lane, size }, stop);
    };
    try {
      const outcome = await this.#inTurn(work, lane, stop.signal);
      end = 'fault' in outcome ? 'failed' : 'done';
      if ('fault' in outcome) throw new MalformedInput(outcome.fault);
      const result = await unpacked<Result>(outcome.result, this.#options.pace());
      stop.signal.throwIfAborted();
      return result;
    } catch (error) {
      if (end === 'dropped' && error !== signal?.reason && !this.#closed)
        end = error instanceof MalformedInput ? 'killed' : 'failed';
      throw error;
    } finally {
      figures[phase] -= 1;
      figures.ended[end] += 1;
      stop.end();
      this.#stops.delete(stop);
    }
  }

  /** Refuses the waiting tasks and ends the running ones. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#closed = true;
    // Before anything is aborted, because this waits only for threads that piscina has not given up.
    const ended = this.#threads.destroy();
    this.#stopAll(stopping());
    await ended;
  }

  #stopAll(why: Error): void {
    for (const stop of this.#stops) stop.abort(why);
  }

  /** Begins a task when it is its turn in its lane, and of all. */
  #inTurn(work: () => Promise<Outcome>, lane: Lane, signal: AbortSignal): Promise<Outcome> {
    const begun = this.#lanes[lane].add(() => this.#all.add(work, { signal }), { signal });
    return begun.catch((cause) => {
      signal.throwIfAborted();
      throw this.#faultOf(cause);
    });
  }

  async #inThread(
    order: Order,
    { lane, size }: { readonly lane: Lane; readonly size: number },
    stop: LinkedAbort,
  ): Promise<Outcome> {
    const { clock, deadlineMs } = this.#options;
    const [began, allowedMs, ended] = [clock.now(), deadlineMs(size), new AbortController()];
    const late = () => stop.abort(tooSlow(allowedMs));
    clock.sleep(allowedMs, ended.signal).then(late, () => undefined);
    try {
      return await this.#threads.run(order, { signal: stop.signal });
    } finally {
      ended.abort();
      this.#figures[lane].seconds += (clock.now() - began) / 1000;
    }
  }

  /** Why a thread has ended, or its task. Only for the memory that it took is it the document's fault. */
  #faultOf(cause: unknown): Error {
    if ((cause as { code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY')
      return new Error('This node could not read it in a thread', { cause });
    return new MalformedInput(`reading it takes more than ${this.#options.heapMb} MB of memory`);
  }
}

const tooSlow = (ms: number) =>
  new TaskTimeout(
    `reading it takes more than ${ms / 1000} s: it is too large or too complex for this node, or the node is too busy`,
  );

const stopping = () => new Error('the node is stopping');

const noTasks = (): LaneFigures => {
  const ended = { done: 0, failed: 0, killed: 0, dropped: 0, refused: 0 };
  return { waiting: 0, running: 0, seconds: 0, ended };
};

function ofLanes<T>(make: () => T): Record<Lane, T> {
  return Object.fromEntries(LANES.map((lane) => [lane, make()])) as Record<Lane, T>;
}
