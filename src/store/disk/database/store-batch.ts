import type { AbstractChainedBatch } from 'abstract-level';
import type { Level } from './level.js';
import { seal } from './seal.js';

/** A batch of the database whose values carry checksums, and which knows the keys that it will change. */
export class StoreBatch {
  readonly keys: string[] = [];
  readonly #batch: AbstractChainedBatch<Level, string, string>;

  constructor(level: Level) {
    this.#batch = level.batch();
  }

  /** Without options: abstract-level takes several times as long for operations that have any. */
  put(key: string, text: string): void {
    this.keys.push(key);
    this.#batch.put(key, seal(key, text));
  }

  del(key: string): void {
    this.keys.push(key);
    this.#batch.del(key);
  }

  /** All of it or nothing; flushed to disk (fsync) when it is to be durable. */
  write(durable: boolean): Promise<void> {
    // `sync` is an option of classic-level; others of the family pass it over.
    return this.#batch.write({ sync: durable } as object);
  }

  close(): Promise<void> {
    return this.#batch.close();
  }
}
