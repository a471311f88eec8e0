import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cleanup } from './cleanup.js';

/** What another reader of a node noticed while something went on. */
export interface Noticed {
  /** Requests for `/health` that were not answered with 200. */
  readonly failed: number;
  /** The longest that one of them took, in ms. */
  readonly longestWaitMs: number;
  /**
   * How much of the longest wait went into waiting for a processor that others had, in ms: what a machine with more of
   * them, or with less to do, would not have taken.
   */
  readonly queuedMs: number;
  /**
   * The longest that the main thread of the node ran in one of those times, in ms. Unlike the wait, this does not
   * grow with what else the machine does.
   */
  readonly busiestMs: number;
  /** The most resident memory of the node's process while it was watched, and the most threads at any look. */
  readonly mostResidentMb: number;
  readonly mostThreads: number;
}

interface Watched {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
}

/** Threads that watch nobody just now: to start one takes as long as a short attack does. */
const idle: Worker[] = [];

function newWorker(): Worker {
  const worker = new Worker(new URL('./bystander-worker.mjs', import.meta.url));
  cleanup(() => {
    idle.length = 0;
    return worker.terminate();
  });
  return worker;
}

/**
 * Another reader of a node that is under attack: asks for `/health`, one request after the other, in a thread of its
 * own, so that the work of the test does not count as waiting.
 *
 *     const bystander = await Bystander.watch(node);
 *     await attack(node);
 *     const noticed = await bystander.end();
 *     expect(noticed.longestWaitMs).toBeLessThan(500);
 */
export class Bystander {
  readonly #worker: Worker;
  readonly #told: Promise<Noticed>;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#told = once(worker, 'message').then(([seen]) => {
      idle.push(worker);
      return seen;
    });
  }

  /** Resolves once it has had a first answer, which does not count. It ends with the test at the latest. */
  static async watch(watched: Watched): Promise<Bystander> {
    return Bystander.#start(watched, Number.POSITIVE_INFINITY);
  }

  /** What it notices in so many requests while nothing goes on. */
  static async idle(watched: Watched, questions: number): Promise<Noticed> {
    const bystander = await Bystander.#start(watched, questions);
    return bystander.#told;
  }

  static async #start({ url, pid }: Watched, questions: number): Promise<Bystander> {
    const worker = idle.pop() ?? newWorker();
    // A request that takes a minute has failed: a long wait is measured.
    worker.postMessage({ url, pid, pauseMs: 5, timeoutMs: 60_000, questions });
    await once(worker, 'message');
    return new Bystander(worker);
  }

  /** Ends the watch, once the request under way is over. */
  async end(): Promise<Noticed> {
    this.#worker.postMessage('end');
    return this.#told;
  }
}
