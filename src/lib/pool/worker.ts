/** What the threads of `WorkerPool` run: one task, a piece each time that the receiver asks for one. */
import { once } from 'node:events';
import { existsSync, readlinkSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { explain, MalformedInput } from '../faults.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { decoded, type Task } from './task.js';

/** A task for a thread. `port` carries pieces one way, and `MORE` for each the other way. */
export interface Order {
  readonly module: string;
  readonly name: string;
  input: unknown;
  readonly port: MessagePort;
}

export const MORE = 'more';

/** The first message of a thread: where Linux tells what it has had of a processor, below `/proc`. */
export interface Begun {
  readonly thread: string | undefined;
}

/** How a task failed, where that did not end its thread. */
export interface Failure {
  readonly malformed: boolean;
  readonly message: string;
  readonly stack?: string | undefined;
}

const SELF = '/proc/thread-self';

export default async function work(order: Order): Promise<Failure | undefined> {
  const { module, name, port } = order;
  try {
    await asked(port, { thread: existsSync(SELF) ? readlinkSync(SELF) : undefined } satisfies Begun);
    // In its place, so that the bytes of the document do not take memory beside its text.
    order.input = decoded(order.input);
    const exported: Record<string, Task<unknown, unknown>> = await import(
      new URL(module, PROGRAM_FOLDER).href
    );
    const task = exported[name];
    if (!task) throw new Error(`${module} exports no task ${name}`);
    for await (const piece of task.run(order.input)) await asked(port, piece);
    return undefined;
  } catch (error) {
    const malformed = error instanceof MalformedInput;
    const stack = error instanceof Error && !malformed ? error.stack : undefined;
    return { malformed, message: explain(error).slice(0, 1000), stack };
  } finally {
    port.close();
  }
}

/** Resolves when the receiver has taken a message and asks for the next. */
async function asked(port: MessagePort, message: unknown): Promise<void> {
  const more = once(port, 'message');
  port.postMessage(message);
  await more;
}
