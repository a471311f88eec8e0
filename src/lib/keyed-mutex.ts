/** Runs tasks of one key one after another, in the order they came, and tasks of different keys at once. */
export class KeyedMutex {
  /** What the last task of each key resolves or rejects with. */
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as the task does; a task that fails does not stop the ones behind it. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const tail = Promise.allSettled([this.#tails.get(key)]).then(() => task());
    this.#tails.set(key, tail);
    try {
      return await tail;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
