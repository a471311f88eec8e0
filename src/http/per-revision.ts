import { LRUCache } from 'lru-cache';

/**
 * Keeps what was made in the current state of something, up to `most` of it as `weightOf` counts it; the least recently used
 * goes first. Requests for what is being made wait for it. A state is an object: another object is another state.
 */
export class PerRevision<T> {
  readonly #making = new Map<string, Promise<T>>();
  readonly #made: LRUCache<string, { readonly value: T }>;
  readonly #weightOf: (made: T) => number;
  #state: object | undefined;

  constructor(most: number, weightOf: (made: T) => number = () => 1) {
    this.#made = new LRUCache({ maxSize: most });
    this.#weightOf = weightOf;
  }

  async get(state: object, key: string, make: () => Promise<T>): Promise<T> {
    if (this.#state !== state) {
      this.#made.clear();
      this.#making.clear();
    }
    this.#state = state;
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
}
