/** What a worker thread of `WorkerPool` runs: one task after the other, never more than a few pieces ahead of the receiver. */
import { parentPort } from 'node:worker_threads';
import { explain, MalformedInput } from '../faults.js';
import type { FromWorker, ToWorker } from './messages.js';
import type { Task } from './task.js';

/** Pieces on the way: with one alone, both threads would wait for one another at every piece. */
const AHEAD = 4;

if (!parentPort) throw new Error('this module is the script of worker threads');
const port = parentPort;
const tell = (message: FromWorker) => port.postMessage(message);
let onTheWay = 0;
let goOn: () => void = () => undefined;

port.on('message', async (order: ToWorker) => {
  if (order === 'more') {
    onTheWay -= 1;
    goOn();
  } else {
    onTheWay = 0;
    tell(await work(order));
  }
});

async function work({ module, name, input }: Exclude<ToWorker, 'more'>): Promise<FromWorker> {
  try {
    const { [name]: task } = (await import(module)) as Record<string, Task<unknown, unknown>>;
    if (!task) throw new Error(`${module} exports no task ${name}`);
    for await (const piece of task.run(input)) {
      tell({ kind: 'piece', piece });
      onTheWay += 1;
      while (onTheWay >= AHEAD) await taken();
    }
    return { kind: 'done' };
  } catch (error) {
    const malformed = error instanceof MalformedInput;
    const stack = error instanceof Error && !malformed ? error.stack : undefined;
    return {
      kind: 'failed',
      malformed,
      message: explain(error).slice(0, 1000),
      ...(stack === undefined ? {} : { stack }),
    };
  }
}

/** Resolves when one more piece has been taken. */
function taken(): Promise<void> {
  return new Promise((resolve) => {
    goOn = resolve;
  });
}
