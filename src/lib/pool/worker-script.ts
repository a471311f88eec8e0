/** What a worker thread of `WorkerPool` runs: one task after the other, each piece when the one before was taken. */
import { parentPort } from 'node:worker_threads';
import { explain, MalformedInput } from '../faults.js';
import type { FromWorker, ToWorker } from './messages.js';
import type { Task } from './task.js';

if (!parentPort) throw new Error('this module is the script of worker threads');
const port = parentPort;
let receive: (message: ToWorker) => void = () => undefined;
port.on('message', (message: ToWorker) => receive(message));

/** The pool says one thing at a time and waits for the answer, so nothing can come while nobody waits for it. */
const heard = () =>
  new Promise<ToWorker>((resolve) => {
    receive = resolve;
  });
const tell = (message: FromWorker) => port.postMessage(message);

for (;;) {
  const order = await heard();
  if (order !== 'more') tell(await work(order));
}

async function work({ module, name, input }: Exclude<ToWorker, 'more'>): Promise<FromWorker> {
  try {
    const { [name]: task } = (await import(module)) as Record<string, Task<unknown, unknown>>;
    if (!task) throw new Error(`${module} exports no task ${name}`);
    for await (const piece of task.run(input)) {
      tell({ kind: 'piece', piece });
      await heard();
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
