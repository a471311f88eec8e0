import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** In a thread of its own, so that what the test does meanwhile delays no question. */
const SCRIPT = `
const http = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const agent = new http.Agent({ keepAlive: true });
let longest = 0;
let answered = 0;
function ask() {
  const started = performance.now();
  const note = (went) => {
    longest = Math.max(longest, performance.now() - started);
    if (went) answered += 1;
    setTimeout(ask, 5);
  };
  http.get(workerData, { agent }, (response) => {
    response.resume().on('end', () => note(response.statusCode === 200));
  }).on('error', () => note(false));
}
parentPort.on('message', () => {
  parentPort.postMessage({ longest, answered });
  longest = 0;
  answered = 0;
});
ask();
`;

export interface Waited {
  /** The longest wait for an answer since the last look, in ms. */
  readonly longest: number;
  /** Answers with 200 since then. */
  readonly answered: number;
}

/** Another client of a node, which asks `GET /health` all the time. */
export class HealthProbe {
  readonly #worker: Worker;

  constructor(nodeUrl: string) {
    this.#worker = new Worker(SCRIPT, { eval: true, workerData: `${nodeUrl}/health` });
  }

  async look(): Promise<Waited> {
    this.#worker.postMessage('look');
    const [waited] = (await once(this.#worker, 'message')) as [Waited];
    return waited;
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
