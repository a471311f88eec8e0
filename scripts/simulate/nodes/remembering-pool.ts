import { createHash } from 'node:crypto';
import { withoutPause } from '../../../src/lib/pace.js';
import type { Undecoded } from '../../../src/lib/pool/handed-text.js';
import { type ClosablePool, inProcess, type Task, type TaskOptions } from '../../../src/lib/pool/task.js';

/** Results that are remembered, at most; then half of them are forgotten. */
const MOST = 20_000;

interface Result {
  readonly pieces: readonly unknown[];
  readonly error?: unknown;
}

/**
 * A pool that all nodes of a simulation share. Tasks are functions of their input, and a thousand nodes parse the same
 * documents: what one of them has parsed is given to the others, frozen, so that none can change what another has.
 */
export class RememberingPool implements ClosablePool {
  readonly #inner = inProcess(withoutPause);
  readonly #results = new Map<string, Result>();
  #parsed = 0;

  /** Tasks that were run, and not remembered. */
  get parsed(): number {
    return this.#parsed;
  }

  async *run<Input, Piece>(
    task: Task<Input, Piece>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): AsyncGenerator<Piece, void, undefined> {
    options.signal?.throwIfAborted();
    const key = keyOf(task, input);
    const known = this.#results.get(key);
    const result = known ?? (await this.#run(task, input, { lane: options.lane, size: options.size }));
    if (!known) this.#remember(key, result);
    for (const piece of result.pieces) {
      options.signal?.throwIfAborted();
      yield piece as Piece;
    }
    if (result.error !== undefined) throw result.error;
  }

  async close(): Promise<void> {
    // It belongs to the simulation, and not to the node that is stopped.
  }

  async #run<Input, Piece>(
    task: Task<Input, Piece>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): Promise<Result> {
    this.#parsed += 1;
    const pieces: Piece[] = [];
    try {
      for await (const piece of this.#inner.run(task, input, options)) pieces.push(frozen(piece));
      return { pieces };
    } catch (error) {
      return { pieces, error };
    }
  }

  #remember(key: string, result: Result): void {
    if (this.#results.size >= MOST) {
      let left = MOST / 2;
      for (const old of this.#results.keys()) if (left-- > 0) this.#results.delete(old);
    }
    this.#results.set(key, result);
  }
}

function keyOf<Input, Piece>({ module, name }: Task<Input, Piece>, input: Undecoded<Input>): string {
  const { text, ...rest } = input as { text?: string | Uint8Array };
  const hash = createHash('sha1').update(`${module} ${name} ${JSON.stringify(rest)}\n`);
  return hash.update(text ?? '').digest('base64');
}

/** So deep that nobody who shares it can change anything. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
