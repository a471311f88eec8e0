/** The script of the worker threads of `WorkerPool`: runs one task after another, at most `AHEAD` pieces ahead of the receiver. */
import { existsSync, readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { explain, MalformedInput } from '../faults.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { decoded } from './handed-text.js';
import type { FromWorker, ToWorker } from './messages.js';
import type { Task } from './task.js';

/** How many pieces may be sent before the receiver has asked for the next; with 1, both threads would wait at every piece. */
const AHEAD = 4;

if (!parentPort) throw new Error('this module is the script of worker threads');
const port = parentPort;
const tell = (message: FromWorker) => port.postMessage(message);
let unconfirmed = 0;
let goOn: () => void = () => undefined;

port.on('message', async (order: ToWorker) => {
  if (order === 'more') {
    unconfirmed -= 1;
    goOn();
  } else {
    unconfirmed = 0;
    tell(await work(order));
  }
});
const SELF = '/proc/thread-self';
tell({ kind: 'ready', thread: existsSync(SELF) ? readlinkSync(SELF) : undefined });

async function work(order: Mutable<Exclude<ToWorker, 'more'>>): Promise<FromWorker> {
  try {
    const { module, name } = order;
    // In its place, so that the bytes of the document do not take memory beside its text.
    order.input = decoded(order.input);
    const { [name]: task } = (await import(new URL(module, PROGRAM_FOLDER).href)) as Record<
      string,
      Task<unknown, unknown>
    >;
    if (!task) throw new Error(`${module} exports no task ${name}`);
    for await (const piece of task.run(order.input)) {
      tell({ kind: 'piece', piece });
      unconfirmed += 1;
      while (unconfirmed >= AHEAD) await confirmation();
    }
    return { kind: 'done' };
  } catch (error) {
    const malformed = error instanceof MalformedInput;
    const stack = error instanceof Error && !malformed ? error.stack : undefined;
    return {
      kind: 'failed',
      malformed,
      message: explain(error).slice(0, 1000),
      stack,
    };
  }
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

/** Resolves when the receiver has confirmed one more piece. */
function confirmation(): Promise<void> {
  return new Promise((resolve) => {
    goOn = resolve;
  });
}
