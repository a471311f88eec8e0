import type { AbstractChainedBatch } from 'abstract-level';
import type { Level } from './level-files.js';

/**
 * Gathers what several batches hold into one, which is written once at the end. So the quads of a large commit can be handed to
 * quadstore a slice at a time, with other work in between, and still are one atomic batch.
 */
export class GatheredBatch {
  /** What the batch will change, and what of it goes. */
  readonly keys: string[] = [];
  readonly deleted: string[] = [];
  readonly #batch: AbstractChainedBatch<Level, string, string>;

  constructor(level: Level) {
    this.#batch = level.batch() as AbstractChainedBatch<Level, string, string>;
  }

  /** quadstore puts empty arrays of bytes. */
  put(key: string, value: string | Uint8Array): this {
    this.keys.push(key);
    // Without options: abstract-level takes several times as long for operations that have any.
    this.#batch.put(key, typeof value === 'string' ? value : '');
    return this;
  }

  del(key: string): this {
    this.keys.push(key);
    this.deleted.push(key);
    this.#batch.del(key);
    return this;
  }

  /** What quadstore calls at the end of each slice. */
  async write(): Promise<void> {
    // Nothing is written before `commit`.
  }

  /** All of it or nothing; on disk (fsync) when it resolves. */
  commit(): Promise<void> {
    return this.#batch.write({ sync: true } as object);
  }

  discard(): Promise<void> {
    return this.#batch.close();
  }
}
