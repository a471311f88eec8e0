/** Holds whoever comes until so many are inside at once, and counts how many have been inside at most. */
export class Gate {
  readonly #expected: number;
  readonly #whenFull: () => Promise<unknown>;
  #open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  #inside = 0;
  /** How many have been inside at once, at most. */
  most = 0;

  /** @param whenFull what gives one more the time to come, once the expected number is inside */
  constructor(expected: number, whenFull: () => Promise<unknown>) {
    this.#expected = expected;
    this.#whenFull = whenFull;
  }

  /** Resolves when the gate has been opened, which it is for good once the expected number was inside. */
  async pass(): Promise<void> {
    this.#inside += 1;
    this.most = Math.max(this.most, this.#inside);
    if (this.#inside === this.#expected) {
      await this.#whenFull();
      this.#open();
    }
    await this.#opened;
    this.#inside -= 1;
  }
}
