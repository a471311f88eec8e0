import type { AbstractChainedBatch } from 'abstract-level';
import type { Level } from './level-files.js';

/** What is to be changed in a database. */
export interface Changes {
  /** @param value the key goes when it is `undefined` */
  change(key: string, value: string | undefined): void;
}

/**
 * Gathers changes into one batch, which is written once at the end. So the quads of a large commit can be handed to quadstore a slice
 * at a time, with other work in between, and still are one atomic batch.
 */
export class GatheredBatch implements Changes {
  readonly #batch: AbstractChainedBatch<Level, string, string>;

  constructor(level: Level) {
    this.#batch = level.batch() as AbstractChainedBatch<Level, string, string>;
  }

  // Without options: abstract-level takes several times as long for operations that have any.
  change(key: string, value: string | undefined): void {
    if (value === undefined) this.#batch.del(key);
    else this.#batch.put(key, value);
  }

  /** All of it or nothing; on disk (fsync) when it resolves. */
  commit(): Promise<void> {
    return this.#batch.write({ sync: true } as object);
  }

  discard(): Promise<void> {
    return this.#batch.close();
  }
}
