/** Runs tasks of one key one after another, in the order they came, and tasks of different keys at once. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves or rejects as the task does; a task that fails does not stop the ones behind it. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    let done: () => void = () => undefined;
    const tail = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#tails.set(key, tail);
    await before;
    try {
      return await task();
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
      done();
    }
  }
}
