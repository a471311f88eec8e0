/**
 * Values for one consumer as they come, until one of the two sides ends it. A subclass decides how much waits for the
 * consumer. Not a generator: while it waits for the next value, that would not notice that its consumer has gone.
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

  /** To be called when there may be something to take: gives it to the consumer, if that waits. */
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

  /** The consumer has gone. */
  async return(): Promise<IteratorResult<T>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
