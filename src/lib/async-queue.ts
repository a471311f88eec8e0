/**
 * What one reader is given as it comes, until one of the two sides ends it. How much waits for the reader is decided by
 * whoever fills it. Not a generator: that would not notice that its reader has gone while it waits for what is next.
 */
export abstract class AsyncQueue<T> implements AsyncIterableIterator<T> {
  readonly #ended: () => void;
  #isOpen = true;
  #deliver: ((result: IteratorResult<T>) => void) | undefined;

  /** @param ended called once, when either side has ended it */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  /** Takes what comes next, if there is anything. */
  protected abstract take(): T | undefined;

  /** To be called when there may be something to take: gives it to the reader, if that waits. */
  protected hand(): void {
    const deliver = this.#deliver;
    if (!deliver) return;
    const value = this.#isOpen ? this.take() : undefined;
    if (this.#isOpen && value === undefined) return;
    this.#deliver = undefined;
    deliver(value === undefined ? { done: true, value: undefined } : { done: false, value });
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
    this.hand();
  }

  next(): Promise<IteratorResult<T>> {
    return new Promise((resolve) => {
      this.#deliver = resolve;
      this.hand();
    });
  }

  /** The reader has gone. */
  async return(): Promise<IteratorResult<T>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
