import { LRUCache } from 'lru-cache';

/** What a value takes beyond its own bytes and its key, roughly. */
const OVERHEAD = 1000;

/**
 * Values that were made in the current state of something, as far as there is room for their bytes and keys; the least recently
 * used goes first. Requests for a value that is being made wait for it.
 */
export class StateCache<T extends object> {
  readonly #values: LRUCache<string, T, () => Promise<T>>;
  #state: string | undefined;

  constructor(maxBytes: number, bytesOf: (value: T) => number) {
    this.#values = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (value, key) => bytesOf(value) + key.length + OVERHEAD,
      fetchMethod: (_key, _stale, { context: make }) => make(),
      // Who asked in a state that has passed meanwhile still gets an answer; it is not stored.
      ignoreFetchAbort: true,
    });
  }

  /** The value under a key in this state, made by `make` unless it is there; values of another state are forgotten. */
  async get(state: string, key: string, make: () => Promise<T>): Promise<T> {
    if (this.#state !== state) this.#values.clear();
    this.#state = state;
    return (await this.#values.fetch(key, { context: make })) as T;
  }
}
