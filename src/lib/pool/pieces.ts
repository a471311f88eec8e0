import type { Parsing, Task, Undecoded } from './task.js';

/**
 * Puts together what a task yields in pieces of a text: lists become one, and of all else the last counts.
 * @throws what `TaskPool.run` throws. @param whole what there is before the first piece
 */
export async function readInPieces<Input extends { readonly text: string }, Whole extends object>(
  task: Task<Input, Partial<Whole>>,
  input: Undecoded<Input>,
  whole: Whole,
  { pool, ...options }: Parsing,
): Promise<Whole> {
  const fields = whole as Record<string, unknown>;
  const { length: size } = (input as { readonly text: string | Uint8Array }).text;
  for await (const piece of pool.run(task, input, { ...options, size })) {
    for (const [name, value] of Object.entries(piece)) {
      const before = fields[name];
      if (Array.isArray(before) && Array.isArray(value)) before.push(...value);
      else fields[name] = value;
    }
  }
  return whole;
}
