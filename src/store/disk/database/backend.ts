import type { Level } from './level.js';
import type { StoreBatch } from './store-batch.js';

/**
 * What quadstore gets in place of the database: it only writes, and the batches of several calls are gathered into one, so
 * that a change of any size is built in slices and still written atomically, and flushed.
 */
export class Backend {
  readonly #level: Level;
  #gathering: StoreBatch | undefined;

  constructor(level: Level) {
    this.#level = level;
  }

  get status(): string {
    return this.#level.status;
  }

  open(): Promise<void> {
    return this.#level.open();
  }

  close(): Promise<void> {
    return this.#level.close();
  }

  /** Runs a call of quadstore that writes, and lets it add to a batch instead. */
  async gathering(batch: StoreBatch, call: () => Promise<unknown>): Promise<void> {
    this.#gathering = batch;
    const done = call();
    this.#gathering = undefined;
    await done;
  }

  /** Called by quadstore. */
  batch(): Pick<StoreBatch, 'put' | 'del'> & { write(): Promise<void> } {
    const batch = this.#gathering;
    if (!batch) throw new Error('quadstore writes only within a batch');
    return {
      // Quads are all key.
      put: (key: string) => batch.put(key, ''),
      del: (key: string) => batch.del(key),
      write: async () => undefined,
    };
  }
}
