import { LRUCache } from 'lru-cache';

/** What a value takes beyond its own bytes and its key, roughly. */
const OVERHEAD = 1000;

/**
 * Keeps what was made in the current state of something, as far as there is room for its bytes and its keys; the least recently
 * used goes first. Requests for what is being made wait for it.
 */
export class Kept<T extends object> {
  readonly #made: LRUCache<string, T>;
  readonly #making = new Map<string, Promise<T>>();
  #state: string | undefined;

  constructor(maxBytes: number, bytesOf: (made: T) => number) {
    this.#made = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (made, key) => bytesOf(made) + key.length + OVERHEAD,
    });
  }

  /** What there is under a key in this state, made by `make` unless it is there; what was made in another one is forgotten. */
  async get(state: string, key: string, make: () => Promise<T>): Promise<T> {
    if (this.#state !== state) {
      this.#made.clear();
      this.#making.clear();
    }
    this.#state = state;
    const made = this.#made.get(key);
    if (made) return made;
    const making = this.#making.get(key) ?? make();
    this.#making.set(key, making);
    try {
      const value = await making;
      if (this.#making.get(key) === making) this.#made.set(key, value);
      return value;
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key);
    }
  }
}
