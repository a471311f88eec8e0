import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import PQueue from 'p-queue';
import { Piscina } from 'piscina';
import type { Clock } from '../clock.js';
import { MalformedInput } from '../faults.js';
import { withoutPause } from '../pace.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import {
  type ClosablePool,
  handedOver,
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
import { TaskTime } from './task-time.js';
import { type Begun, type Failure, MORE, type Order } from './worker.js';

/** Heap that a document takes, as a multiple of its bytes, and the least and the most that a thread gets, in MB. */
const HEAP = { factor: 8, least: 80, most: 4096 };

/** Megabytes of heap for threads that read documents of so many bytes. */
export function heapFor(maxBytes: number): number {
  return Math.min(HEAP.most, Math.max(HEAP.least, Math.ceil((maxBytes / 1_000_000) * HEAP.factor)));
}

const DEFAULTS = {
  /** Number of threads at most; one lane uses at most all but one of them, so that the others always have one. */
  threads: 2,
  /**
   * Megabytes of heap for a large document, of which one is read at a time. Measured: ten megabytes of 20,000 components
   * pass with 64, as Turtle and as JSON-LD, and 80,000 of the smallest with 80.
   */
  heapMb: HEAP.least,
  /** Megabytes of heap for each thread that reads documents of less than `LARGE`. */
  smallHeapMb: 48,
  /** How many tasks may wait in one lane. */
  waiting: 64,
  /** How long a thread without a task is kept, in ms. */
  idleMs: 10_000,
  /**
   * How much processor time a worker may take for a document of this many characters, in ms; the slowest format, JSON-LD,
   * takes 0.3 s per MB on a quiet machine. By the clock it may take many times as long (`TaskTime`), not counting the time
   * of the receiver.
   */
  deadlineMs: (size: number) => 5000 + size * 0.0015,
  /** What threads run: `worker.ts`, as the build compiles it. Where nodes run from the sources, use `inProcess` instead. */
  script: new URL('lib/pool/worker.js', PROGRAM_FOLDER),
};

export type WorkerPoolOptions = { readonly clock: Clock } & Readonly<Partial<typeof DEFAULTS>>;

/**
 * Characters or bytes from which on a document is large: it gets more heap, and no other large one is read meanwhile. Its
 * thread is not kept: it would hold what it has taken for the document while it is idle.
 */
const LARGE = 1_000_000;

/** Megabytes for what a task has just made. The engine's own choice is three times as much, of resident memory. */
const YOUNG_MB = 8;

/**
 * Runs tasks in worker threads, which are started on demand. A thread is ended when its task takes too long or too much
 * memory, or when its result is not needed any more; the next task gets a new thread. No task can end the process.
 */
export class WorkerPool implements ClosablePool {
  readonly #options: WorkerPoolOptions & typeof DEFAULTS;
  readonly #figures = ofLanes(noTasks);
  /** A task waits in that of its lane, which lets one less than all of them on: so lanes take turns in the one for all. */
  readonly #lanes: Readonly<Record<Lane, PQueue>>;
  readonly #all: PQueue;
  readonly #large = new PQueue({ concurrency: 1 });
  readonly #small: Piscina;
  /** All that have threads: the small ones, and while a large document is read those for it. */
  readonly #threads = new Set<Piscina>();
  /** Ends those that wait or run. */
  readonly #stops = new Set<AbortController>();
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { threads, smallHeapMb, idleMs } = this.#options;
    this.#lanes = ofLanes(() => new PQueue({ concurrency: Math.max(1, threads - 1) }));
    this.#all = new PQueue({ concurrency: threads });
    this.#small = this.#start(smallHeapMb, threads, idleMs);
  }

  readonly figures = (): PoolFigures => ({
    threads: [...this.#threads].reduce((sum, { threads }) => sum + threads.length, 0),
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
    const figures = this.#figures[lane];
    if (figures.waiting >= this.#options.waiting) {
      figures.ended.refused += 1;
      throw new PoolBusy();
    }
    const stop = this.#stoppable(signal);
    const isLarge = size >= LARGE;
    let threads = this.#small;
    let leave: (() => void) | undefined;
    // Until it is known better: the receiver has left the loop, or waits no more.
    let end: TaskEnd = 'dropped';
    figures.waiting += 1;
    try {
      leave = await this.#turn(lane, isLarge, stop.signal);
      const heapMb = Math.max(this.#options.heapMb, Math.ceil((size / 1_000_000) * heapPerMb));
      if (isLarge) threads = this.#start(heapMb, 1, 0);
      const failure = yield* this.#exchange<Piece>({ module, name, input }, threads, stop, size, figures);
      end = failure ? 'failed' : 'done';
      if (failure) throw errorOf(failure);
    } catch (error) {
      if (end === 'dropped' && !signal?.aborted && !this.#closed)
        end = error instanceof MalformedInput || error instanceof PoolBusy ? 'killed' : 'failed';
      throw error;
    } finally {
      if (leave) figures.running -= 1;
      else figures.waiting -= 1;
      figures.ended[end] += 1;
      if (threads !== this.#small) void threads.destroy().then(() => this.#threads.delete(threads));
      stop.abort();
      leave?.();
    }
  }

  /** Refuses the waiting tasks and ends the running ones. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#closed = true;
    // Before anything is aborted, because this waits only for threads that piscina has not given up.
    const ended = [...this.#threads].map((threads) => threads.destroy());
    for (const stop of this.#stops) stop.abort(stopping());
    await Promise.all(ended);
  }

  /** What ends a task: the signal of its caller, the end of the node, or its own fault. */
  #stoppable(signal: AbortSignal | undefined): AbortController {
    if (this.#closed) throw stopping();
    signal?.throwIfAborted();
    const stop = new AbortController();
    const giveUp = () => stop.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#stops.add(stop);
    stop.signal.addEventListener('abort', () => {
      signal?.removeEventListener('abort', giveUp);
      this.#stops.delete(stop);
    });
    return stop;
  }

  /** Resolves when it is the task's turn, with what ends that. Rejects when the signal is aborted before. */
  #turn(lane: Lane, isLarge: boolean, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const begin = () =>
        new Promise<void>((leave) => {
          this.#figures[lane].waiting -= 1;
          this.#figures[lane].running += 1;
          resolve(leave);
        });
      const inLane = () => this.#lanes[lane].add(() => this.#all.add(begin, { signal }), { signal });
      (isLarge ? this.#large.add(inLane, { signal }) : inLane()).catch(reject);
    });
  }

  /** Yields what a thread answers. Returns how its task failed; throws when its thread has ended. */
  async *#exchange<Piece>(
    order: Omit<Order, 'port'>,
    threads: Piscina,
    stop: AbortController,
    size: number,
    figures: LaneFigures,
  ): AsyncGenerator<Piece, Failure | undefined, undefined> {
    const { clock, script, deadlineMs } = this.#options;
    const { port1: port, port2 } = new MessageChannel();
    const transferList = [port2, ...handedOver(order.input)];
    let time: TaskTime | undefined;
    const how = { filename: script.href, transferList, signal: stop.signal };
    const ended: Promise<{ failure: Failure | undefined }> = threads.run({ ...order, port: port2 }, how).then(
      (failure) => ({ failure }),
      (cause) => {
        stop.signal.throwIfAborted();
        throw time ? faultOf(cause, threads) : couldNotStart(cause);
      },
    );
    const next = () => Promise.race([once(port, 'message').then(([piece]) => ({ piece })), ended]);
    try {
      let answer = await next();
      if ('failure' in answer) throw couldNotStart(answer.failure);
      time = new TaskTime((answer.piece as Begun).thread);
      time.expiry(deadlineMs(size), clock, stop.signal).then(
        (fault) => stop.abort(fault),
        () => undefined,
      );
      for (;;) {
        const coming = next();
        port.postMessage(MORE);
        time.isAwaited = true;
        answer = await coming;
        time.isAwaited = false;
        if ('failure' in answer) return answer.failure;
        yield answer.piece as Piece;
      }
    } finally {
      figures.seconds += (time?.usedMs ?? 0) / 1000;
      port.close();
    }
  }

  #start(heapMb: number, maxThreads: number, idleTimeout: number): Piscina {
    const threads = new Piscina({
      ...{ minThreads: 0, maxThreads, idleTimeout, recordTiming: false },
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
      // Between tasks, threads need not answer faster than by messages; blocked in `Atomics.wait`, they could not even end.
      atomics: 'disabled',
    });
    // A thread has ended that had no task yet: then the machine or the installation has a fault, and no document.
    threads.on('error', (cause) => {
      for (const stop of this.#stops) stop.abort(couldNotStart(cause));
    });
    this.#threads.add(threads);
    return threads;
  }
}

function faultOf(cause: unknown, { options: { resourceLimits } }: Piscina): MalformedInput {
  const { code } = cause as { code?: unknown };
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY')
    return new MalformedInput('its parser ended unexpectedly', { cause });
  return new MalformedInput(
    `reading it takes more than ${resourceLimits?.maxOldGenerationSizeMb} MB of memory`,
  );
}

/** The error that a task failed with, made again from what was sent of it. */
function errorOf({ malformed, message, stack }: Failure): Error {
  return malformed ? new MalformedInput(message) : Object.assign(new Error(message), stack && { stack });
}

/** The fault is the node's, and says nothing about the document that was to be read. */
const couldNotStart = (cause: unknown) =>
  new Error('This node could not start a thread to read documents in', { cause });

const stopping = () => new Error('the node is stopping');

const noTasks = (): LaneFigures => ({
  ...{ waiting: 0, running: 0, seconds: 0 },
  ended: { done: 0, failed: 0, killed: 0, dropped: 0, refused: 0 },
});

function ofLanes<T>(make: () => T): Record<Lane, T> {
  return Object.fromEntries(LANES.map((lane) => [lane, make()])) as Record<Lane, T>;
}
