import type { AbstractChainedBatch } from 'abstract-level';
import type { Level } from './level-files.js';

/**
 * Gathers what several batches hold into one, which is written once at the end. So the quads of a large commit can be handed to
 * quadstore a slice at a time, with other work in between, and still are one atomic batch.
 */
export class GatheredBatch {
  /** What the batch will change. */
  readonly keys: string[] = [];
  readonly #batch: AbstractChainedBatch<Level, string, string>;

  constructor(level: Level) {
    this.#batch = level.batch() as AbstractChainedBatch<Level, string, string>;
  }

  /** @param value quadstore puts empty arrays of bytes; the key goes when it is `undefined` */
  change(key: string, value: string | Uint8Array | undefined): this {
    this.keys.push(key);
    // Without options: abstract-level takes several times as long for operations that have any.
    if (value === undefined) this.#batch.del(key);
    else this.#batch.put(key, typeof value === 'string' ? value : '');
    return this;
  }

  // The backend of quadstore, which ends each slice with `write`; nothing is written before `commit`.
  put = (key: string, value: string | Uint8Array): this => this.change(key, value);
  del = (key: string): this => this.change(key, undefined);
  write = async (): Promise<void> => undefined;

  /** All of it or nothing; on disk (fsync) when it resolves. */
  commit(): Promise<void> {
    return this.#batch.write({ sync: true } as object);
  }

  discard(): Promise<void> {
    return this.#batch.close();
  }
}
