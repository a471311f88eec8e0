import { MalformedInput } from '../faults.js';

/** What the pool tells a worker: what to do, or that the last piece has been taken. */
export type ToWorker = { readonly module: string; readonly name: string; readonly input: unknown } | 'more';

/** What a worker tells the pool. After `done` and `failed` it waits for its next task. */
export type FromWorker =
  | { readonly kind: 'piece'; readonly piece: unknown }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      readonly malformed: boolean;
      readonly message: string;
      readonly stack?: string;
    };

/** The error that a task failed with, as far as it could be copied. */
export function errorOf({ malformed, message, stack }: Extract<FromWorker, { kind: 'failed' }>): Error {
  if (malformed) return new MalformedInput(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
