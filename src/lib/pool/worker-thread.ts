import { Worker } from 'node:worker_threads';
import { MalformedInput } from '../faults.js';
import type { FromWorker, ToWorker } from './messages.js';

// The build compiles the script beside this module; `npm run network` runs the sources, which tsx compiles.
const SCRIPT = new URL(`./worker-script${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** One worker thread, which answers one order at a time. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #heapMb: number;
  #settle: { resolve: (answer: FromWorker) => void; reject: (reason: Error) => void } | undefined;
  #ended: Error | undefined;

  constructor(heapMb: number) {
    this.#heapMb = heapMb;
    this.#worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
      .on('message', (answer: FromWorker) => this.#settle?.resolve(answer))
      .on('messageerror', (cause) => this.#end(new MalformedInput('its parser could not answer', { cause })))
      .on('error', (error) => this.#end(this.#faultOf(error)))
      .on('exit', () => this.#end(new MalformedInput('its parser ended unexpectedly')));
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Resolves with what the worker answers.
   * @throws MalformedInput when it ends before it has answered: the document is too much for it
   */
  ask(order: ToWorker): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      this.#settle = { resolve, reject };
      this.#worker.postMessage(order);
    });
  }

  /** An idle worker must not keep a process alive that has nothing else to do. */
  keepAlive(alive: boolean): void {
    if (alive) this.#worker.ref();
    else this.#worker.unref();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
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
