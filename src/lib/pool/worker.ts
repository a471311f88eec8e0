/** What the threads of `WorkerPool` run: one task, a piece each time that the receiver asks for one. */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { explain, MalformedInput } from '../faults.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { decoded, type Task } from './task.js';

/** A task for a thread. `port` carries that it has begun, and pieces, one way; and `MORE` for each piece the other way. */
export interface Order {
  readonly module: string;
  readonly name: string;
  input: unknown;
  readonly port: MessagePort;
}

export const MORE = 'more';

/** Resolves with what is wrong with the document, if something is; rejects when a fault of the node is met. */
export default async function work(order: Order): Promise<string | undefined> {
  const { module, name, port } = order;
  const tell = async (piece: unknown) => {
    const more = once(port, 'message');
    port.postMessage(piece);
    await more;
  };
  try {
    await tell(undefined);
    // In its place, so that the bytes of the document do not take memory beside its text.
    order.input = decoded(order.input);
    const exported: Record<string, Task<unknown, unknown>> = await import(
      new URL(module, PROGRAM_FOLDER).href
    );
    const task = exported[name];
    if (!task) throw new Error(`${module} exports no task ${name}`);
    for await (const piece of task.run(order.input)) await tell(piece);
    return undefined;
  } catch (error) {
    if (error instanceof MalformedInput) return explain(error).slice(0, 1000);
    throw error;
  } finally {
    port.close();
  }
}
