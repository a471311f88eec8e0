import { createHash } from 'node:crypto';
import { withoutPause } from '../../../src/lib/pace.js';
import type { Undecoded } from '../../../src/lib/pool/handed-text.js';
import { type ClosablePool, inProcess, type Task, type TaskOptions } from '../../../src/lib/pool/task.js';

/** Bytes of the inputs whose results are remembered, at most; then the older half is forgotten. What comes of an input is several times as large. */
const MOST_BYTES = 16_000_000;

/** Descriptions that are kept once however many nodes have read them, at most; then all are forgotten, which costs memory and nothing else. */
const MOST_DESCRIPTIONS = 50_000;

interface Result {
  readonly pieces: readonly unknown[];
  readonly error?: unknown;
}

interface Remembered extends Result {
  /** Of the input. */
  readonly bytes: number;
}

/**
 * A pool that all nodes of a simulation share. Tasks are functions of their input, and a thousand nodes parse the same
 * documents: what one of them has parsed is given to the others, frozen, so that none can change what another has.
 */
export class RememberingPool implements ClosablePool {
  readonly #inner = inProcess(withoutPause);
  readonly #results = new Map<string, Remembered>();
  /** What is said of components, by its JSON: a page of a feed is of one node, and what it says is said by many. */
  readonly #descriptions = new Map<string, object>();
  #bytes = 0;
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
    if (!known) this.#remember(key, { ...result, bytes: options.size });
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
      for await (const piece of this.#inner.run(task, input, options)) pieces.push(this.#frozen(piece));
      return { pieces };
    } catch (error) {
      return { pieces, error };
    }
  }

  /** So deep that nobody who shares it can change anything. */
  #frozen<T>(value: T): T {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
    if (ArrayBuffer.isView(value)) return value;
    if (isDescription(value)) return this.#once(value);
    const parts = value as Record<string, unknown>;
    for (const [name, part] of Object.entries(parts)) {
      const frozen = this.#frozen(part);
      if (frozen !== part) parts[name] = frozen;
    }
    return Object.freeze(value);
  }

  #once<T extends object>(description: T): T {
    const key = JSON.stringify(description);
    const known = this.#descriptions.get(key) as T | undefined;
    if (known) return known;
    for (const part of Object.values(description)) this.#frozen(part);
    if (this.#descriptions.size >= MOST_DESCRIPTIONS) this.#descriptions.clear();
    this.#descriptions.set(key, Object.freeze(description));
    return description;
  }

  #remember(key: string, result: Remembered): void {
    if (!this.#results.has(key)) this.#bytes += result.bytes;
    this.#results.set(key, result);
    if (this.#bytes <= MOST_BYTES) return;
    for (const [old, { bytes }] of this.#results) {
      if (this.#bytes <= MOST_BYTES / 2) return;
      this.#results.delete(old);
      this.#bytes -= bytes;
    }
  }
}

function keyOf<Input, Piece>({ module, name }: Task<Input, Piece>, input: Undecoded<Input>): string {
  const { text, ...rest } = input as { text?: string | Uint8Array };
  const hash = createHash('sha1').update(`${module} ${name} ${JSON.stringify(rest)}\n`);
  return hash.update(text ?? '').digest('base64');
}

/** Is it what is said of a component (`Metadata`)? */
function isDescription(value: object): boolean {
  return 'uri' in value && 'label' in value && 'shapes' in value;
}
