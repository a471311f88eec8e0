import type { VirtualTime } from './virtual-time.js';

/** The process of a node, as far as others have to know of it: nothing reaches it while it is paused, or once it has ended. */
export class Life {
  #isOver = false;
  #isPaused = false;
  /** Since when it has not been paused, in virtual ms. */
  awakeSince = 0;
  /** What has come while it was paused, and is not done yet. */
  #waiting: (() => void)[] = [];
  readonly #ends = new Set<() => void>();

  get isOver(): boolean {
    return this.#isOver;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Does what the process has to do: at once, or when it goes on. What comes first is done first. */
  run(action: () => void): void {
    if (this.#isOver) return;
    if (this.#isPaused || this.#waiting.length > 0) this.#waiting.push(action);
    else action();
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Does what has come meanwhile, one thing after the other. */
  goOn(time: VirtualTime): void {
    this.#isPaused = false;
    this.awakeSince = time.now;
    this.#catchUp(time);
  }

  /** Calls `action` when the process ends; the function that is returned takes that back. */
  atEnd(action: () => void): () => void {
    this.#ends.add(action);
    return () => this.#ends.delete(action);
  }

  end(): void {
    this.#isOver = true;
    this.#waiting = [];
    for (const action of this.#ends) action();
    this.#ends.clear();
  }

  #catchUp(time: VirtualTime): void {
    if (this.#waiting.length === 0) return;
    time.after(0, () => {
      if (this.#isOver || this.#isPaused) return;
      // It counts as waiting until it is done, so that nothing overtakes the others.
      this.#waiting[0]?.();
      this.#waiting.shift();
      this.#catchUp(time);
    });
  }
}
