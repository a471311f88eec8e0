/** What the threads of `WorkerPool` run: one task after the other. */
import { resourceLimits } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { explain, MalformedInput } from '../faults.js';
import { PROGRAM_FOLDER } from '../package-folder.js';
import { type Packed, packed } from './packed.js';
import { decoded, type Task } from './task.js';

/** A task for a thread. */
export interface Order {
  readonly module: string;
  readonly name: string;
  input: unknown;
}

/** What came of it: a result, or what is wrong with the document. */
export type Outcome = { readonly result: Packed } | { readonly fault: string };

/** Rejects when a fault of the node is met. */
export default async function work(order: Order): Promise<ReturnType<typeof handedOver> | Outcome> {
  const { module, name } = order;
  const { maxOldGenerationSizeMb: mostMb = Number.POSITIVE_INFINITY } = resourceLimits;
  try {
    // In its place, so that the bytes of the document do not take memory beside its text.
    order.input = decoded(order.input);
    const exported: Record<string, Task<unknown, object>> = await import(
      new URL(module, PROGRAM_FOLDER).href
    );
    const task = exported[name];
    if (!task) throw new Error(`${module} exports no task ${name}`);
    return handedOver(packed(await task.run(order.input), mostMb));
  } catch (error) {
    if (error instanceof MalformedInput) return { fault: explain(error).slice(0, 1000) };
    throw error;
  }
}

/** Its memory changes hands. To copy it would keep the receiver from all other work meanwhile. */
function handedOver(result: Packed) {
  const outcome: Outcome = { result };
  return move({ [transferableSymbol]: result.map(({ buffer }) => buffer), [valueSymbol]: outcome });
}
