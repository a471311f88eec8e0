/** Stops what was started, in reverse order. When a step fails, the others are done nevertheless. */
export class Unwinding {
  readonly #steps: { name: string; step: () => unknown }[] = [];
  #unwound = false;

  /**
   * Adds a step. When `unwind` has been called already, the step is done at once, and an error ends the start.
   * @throws Error in that case, when the step is done
   */
  async defer(name: string, step: () => unknown): Promise<void> {
    this.#steps.push({ name, step });
    if (!this.#unwound) return;
    await this.unwind();
    throw new Error('stopped while starting');
  }

  /** Keeps the present place in the order for a step that follows: what is returned adds it there, as `defer` does. */
  reserve(name: string): (step: () => unknown) => Promise<void> {
    const reserved: { name: string; step: () => unknown } = { name, step: () => undefined };
    this.#steps.push(reserved);
    return async (step) => {
      if (this.#unwound) await this.defer(name, step);
      reserved.step = step;
    };
  }

  /** Runs the steps, each once however often it is called. @throws AggregateError of what failed */
  async unwind(): Promise<void> {
    this.#unwound = true;
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
