import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { MalformedInput } from '../faults.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { handedOver } from './handed-text.js';
import type { FromWorker, ToWorker } from './messages.js';

/** The build compiles this script. Where nodes run from the sources (tests, `npm run network`), use `inProcess` instead. */
const SCRIPT = new URL('lib/pool/worker-script.js', PROGRAM_FOLDER);

/** Megabytes for what a task has just made. The engine's own choice is three times as much, of resident memory. */
const YOUNG_MB = 8;

/** The unit of times in `/proc` (`USER_HZ`), the same on all machines that Node.js runs on. */
const TICK_MS = 10;

export interface WorkerThreadOptions {
  /** Megabytes of heap. */
  readonly heapMb: number;
  /** What it runs; the script of this folder if undefined. */
  readonly script?: URL | undefined;
}

/** One worker thread, with a queue of its answers. */
export class WorkerThread {
  /**
   * Resolves when tasks can be given to the thread.
   * @throws Error when it ends before: then the machine or the installation has a fault, and no document
   */
  readonly ready: Promise<unknown>;
  readonly heapMb: number;
  #isReady = false;
  /** Of Linux, below `/proc`. */
  #path: string | undefined;
  readonly #worker: Worker;
  #settle: { resolve: (answer: FromWorker) => void; reject: (reason: Error) => void } | undefined;
  readonly #answers: FromWorker[] = [];
  #ended: Error | undefined;

  /** @throws what the system says when it grants no more threads */
  constructor({ heapMb, script = SCRIPT }: WorkerThreadOptions) {
    this.heapMb = heapMb;
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(script, { resourceLimits })
      .on('message', (answer: FromWorker) => this.#hear(answer))
      .on('messageerror', (cause) => this.#end(new Error('A thread sent what cannot be read', { cause })))
      .on('error', (error) => this.#end(this.#faultOf(error)))
      .on('exit', (code) => this.#end(this.#faultOf(new Error(`its exit code is ${code}`))));
    this.ready = this.#nextAnswer();
    // Nobody waits for a thread whose task is no longer needed.
    this.ready.catch(() => undefined);
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Sends a message, and resolves with the next answer.
   * @throws MalformedInput when the thread ends first: the document takes too much memory, or its parser crashes
   */
  ask(order: ToWorker): Promise<FromWorker> {
    const answer = this.#answers.shift();
    if (this.#ended && !answer) return Promise.reject(this.#ended);
    this.#worker.postMessage(order, order === 'more' ? [] : handedOver(order.input));
    return answer ? Promise.resolve(answer) : this.#nextAnswer();
  }

  /**
   * What it has had of a processor since it began, in ms; undefined where the system does not tell. Not from
   * `eventLoopUtilization()`, which counts the time that a thread waits for a processor as active.
   */
  get processorMs(): number | undefined {
    if (this.#path === undefined) return undefined;
    try {
      const stat = readFileSync(`/proc/${this.#path}/stat`, 'utf8');
      // The second field may contain spaces and brackets; `utime` and `stime` are the 14th and 15th (proc_pid_stat(5)).
      const [utime, stime] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(utime) + Number(stime)) * TICK_MS;
    } catch {
      // The thread has ended, though nobody has said so yet.
      return undefined;
    }
  }

  /** Whether this thread keeps the process from ending; idle threads must not. */
  keepAlive(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #nextAnswer(): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #hear(answer: FromWorker): void {
    if (answer.kind === 'ready') {
      this.#isReady = true;
      this.#path = answer.thread;
    }
    const asked = this.#settle;
    this.#settle = undefined;
    if (asked) asked.resolve(answer);
    else this.#answers.push(answer);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#settle?.reject(this.#ended);
  }

  #faultOf(cause: unknown): Error {
    if (!this.#isReady) return couldNotStart(cause);
    const { code } = cause as { code?: unknown };
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') {
      return new MalformedInput('its parser ended unexpectedly', { cause });
    }
    return new MalformedInput(`reading it takes more than ${this.heapMb} MB of memory`);
  }
}

/** The fault is the node's, and says nothing about the document that was to be read. */
export function couldNotStart(cause: unknown): Error {
  return new Error('This node could not start a thread to read documents in', { cause });
}
