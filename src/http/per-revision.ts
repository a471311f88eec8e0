import { LRUCache } from 'lru-cache';
import type { Revision } from '../catalog/catalog.js';

/**
 * Keeps what was made for the current revision of the registry, up to `most` of it as `weightOf` counts it; the least recently used goes first. Requests for what is being made wait for it.
 */
export class PerRevision<T> {
  readonly #making = new Map<string, Promise<T>>();
  readonly #made: LRUCache<string, { readonly value: T }>;
  readonly #weightOf: (made: T) => number;
  #revision = '';

  constructor(most: number, weightOf: (made: T) => number = () => 1) {
    this.#made = new LRUCache({ maxSize: most });
    this.#weightOf = weightOf;
  }

  async get({ epoch, number }: Revision, key: string, make: () => Promise<T>): Promise<T> {
    const revision = `${epoch}.${number}`;
    if (this.#revision !== revision) {
      this.#made.clear();
      this.#making.clear();
    }
    this.#revision = revision;
    const made = this.#made.get(key);
    if (made) return made.value;
    const making = this.#making.get(key) ?? make();
    this.#making.set(key, making);
    try {
      const value = await making;
      const size = Math.max(1, this.#weightOf(value));
      // What is too much alone would take the place of everything else.
      if (this.#making.get(key) === making && size <= this.#made.maxSize)
        this.#made.set(key, { value }, { size });
      return value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }

  /** What was made for this key is not true any more. */
  forget(key: string): void {
    this.#made.delete(key);
  }
}
