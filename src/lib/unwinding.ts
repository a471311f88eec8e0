/** Stops what was started, last started first, each step even when the one before it failed. */
export class Unwinding {
  readonly #steps: { name: string; step: () => unknown }[] = [];

  /** Remembers how to stop something. */
  defer(name: string, step: () => unknown): void {
    this.#steps.push({ name, step });
  }

  /** Runs the steps, each once however often it is called. @throws AggregateError of what failed */
  async unwind(): Promise<void> {
    const errors: Error[] = [];
    for (let last = this.#steps.pop(); last; last = this.#steps.pop()) {
      try {
        await last.step();
      } catch (cause) {
        errors.push(new Error(`${last.name} did not stop`, { cause }));
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '));
  }
}
