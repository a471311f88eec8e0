import { MalformedInput } from '../faults.js';

/** Messages to a worker: a task to run, or that one more piece has been received. */
export type ToWorker = { readonly module: string; readonly name: string; readonly input: unknown } | 'more';

/**
 * Messages from a worker. After `ready` (its script is loaded), `done` and `failed` it waits for a task. `thread` is where
 * Linux tells what the worker has had of a processor, below `/proc`.
 */
export type FromWorker =
  | { readonly kind: 'ready'; readonly thread?: string }
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      readonly malformed: boolean;
      readonly message: string;
      readonly stack?: string;
    };

/** The error that a task failed with, made again from what was sent of it. */
export function errorOf({ malformed, message, stack }: Extract<FromWorker, { kind: 'failed' }>): Error {
  if (malformed) return new MalformedInput(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
