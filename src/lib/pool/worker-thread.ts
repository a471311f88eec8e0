import { Worker } from 'node:worker_threads';
import { MalformedInput } from '../faults.js';
import type { FromWorker, ToWorker } from './messages.js';

/** The build compiles this script. Where nodes run from the sources (tests, `npm run network`), use `inProcess` instead. */
const SCRIPT = new URL('./worker-script.js', import.meta.url);

/** Megabytes for what a task has just made. The engine's own choice is three times as much, of resident memory. */
const YOUNG_MB = 16;

/** One worker thread, with a queue of its answers. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #heapMb: number;
  #settle: { resolve: (answer: FromWorker) => void; reject: (reason: Error) => void } | undefined;
  readonly #answers: FromWorker[] = [];
  #ended: Error | undefined;

  constructor(heapMb: number) {
    this.#heapMb = heapMb;
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(SCRIPT, { resourceLimits })
      .on('message', (answer: FromWorker) => this.#hear(answer))
      .on('messageerror', (cause) => this.#end(new MalformedInput('its parser could not answer', { cause })))
      .on('error', (error) => this.#end(this.#faultOf(error)))
      .on('exit', () => this.#end(new MalformedInput('its parser ended unexpectedly')));
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Sends a message, and resolves with the next answer.
   * @throws MalformedInput when the thread ends first: the document takes too much memory
   */
  ask(order: ToWorker): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      const answer = this.#answers.shift();
      if (this.#ended && !answer) return reject(this.#ended);
      this.#worker.postMessage(order);
      if (answer) resolve(answer);
      else this.#settle = { resolve, reject };
    });
  }

  /** Whether this thread keeps the process from ending; idle threads must not. */
  keepAlive(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(answer: FromWorker): void {
    const asked = this.#settle;
    this.#settle = undefined;
    if (asked) asked.resolve(answer);
    else this.#answers.push(answer);
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#settle?.reject(this.#ended);
  }

  #faultOf(cause: unknown): MalformedInput {
    const { code } = cause as { code?: unknown };
    if (code !== 'ERR_WORKER_OUT_OF_MEMORY') {
      return new MalformedInput('its parser ended unexpectedly', { cause });
    }
    return new MalformedInput(`reading it takes more than ${this.#heapMb} MB of memory`);
  }
}
