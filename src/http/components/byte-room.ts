/** Bytes of memory that tasks share. A task that finds no room waits; tasks are admitted in the order in which they came. */
export class ByteRoom {
  readonly #bytes: number;
  readonly #longest: number;
  #used = 0;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];

  /** @param longest tasks that may wait */
  constructor(bytes: number, longest: number) {
    this.#bytes = bytes;
    this.#longest = longest;
  }

  /** Would one more have to be turned away? */
  get isCrowded(): boolean {
    return this.#waiting.length >= this.#longest;
  }

  /**
   * Resolves when there is room for so many bytes, with what gives it back. A task that needs more than there is gets all of it.
   * @throws the signal's reason when it is aborted first
   */
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    const needed = Math.min(bytes, this.#bytes);
    await new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        reject(signal.reason);
        this.#admit();
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const one = { bytes: needed, enter };
      this.#waiting.push(one);
      signal.addEventListener('abort', leave, { once: true });
      this.#admit();
    });
    return () => {
      this.#used -= needed;
      this.#admit();
    };
  }

  #admit(): void {
    for (
      let next = this.#waiting[0];
      next && this.#used + next.bytes <= this.#bytes;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#used += next.bytes;
      next.enter();
    }
  }
}
