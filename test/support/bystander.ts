import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { cleanup } from './cleanup.js';
import { type TortureRow, tortureRow } from './torture.js';

/** What another reader of a node noticed while something went on. */
export interface Noticed {
  /** Requests for `/health` that were over, and those among them that were not answered with 200. */
  readonly asked: number;
  readonly failed: number;
  /** The longest that one of them took, and half of them took no longer than, in ms. */
  readonly longestWaitMs: number;
  readonly medianWaitMs: number;
  /** The most resident memory and threads of the node's process at any look. */
  readonly mostResidentMb: number;
  readonly mostThreads: number;
}

interface Watched {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
}

interface Manner {
  /** Between two requests; 5 ms when absent. */
  readonly pauseMs?: number;
  /** A request that takes longer has failed; 60 s when absent, so that a long wait is measured. */
  readonly timeoutMs?: number;
}

/**
 * Another reader of a node that is under attack: asks for `/health`, one request after the other, in a thread of its
 * own, so that the work of the test does not count as waiting.
 *
 *     const bystander = await Bystander.watch(node);
 *     await attack(node);
 *     const noticed = await bystander.end('huge bodies');
 *     expect(noticed.longestWaitMs).toBeLessThan(500);
 */
export class Bystander {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Resolves once it has had a first answer, which does not count. It ends with the test at the latest. */
  static async watch({ url, pid }: Watched, manner: Manner = {}): Promise<Bystander> {
    const workerData = { url, pid, pauseMs: 5, timeoutMs: 60_000, ...manner };
    const worker = new Worker(new URL('./bystander-worker.mjs', import.meta.url), { workerData });
    cleanup(() => worker.terminate());
    await once(worker, 'message');
    return new Bystander(worker);
  }

  /** Ends the watch, and adds what was noticed to the table of `npm run torture` under the name of the attack. */
  async end(attack: string, more: TortureRow = {}): Promise<Noticed> {
    const told = once(this.#worker, 'message');
    this.#worker.postMessage('end');
    const [{ waits, longestMs, mostMb, mostThreads, asked, failed }] = await told;
    const noticed = {
      asked,
      failed,
      longestWaitMs: Math.round(longestMs),
      medianWaitMs: rounded(median(waits)),
      mostResidentMb: Math.round(mostMb),
      mostThreads,
    };
    tortureRow(attack, { ...noticed, ...more });
    return noticed;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
