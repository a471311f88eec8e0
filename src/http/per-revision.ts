import type { Revision } from '../catalog/catalog.js';

interface Made<T> {
  readonly promise: Promise<T>;
  weight: number;
}

/**
 * Keeps what was made for the current revision of the registry, up to `most` of it, as `weightOf` counts it; the least recently
 * used goes first. Requests for what is being made wait for it.
 */
export class PerRevision<T> {
  readonly #most: number;
  readonly #weightOf: (made: T) => number;
  readonly #made = new Map<string, Made<T>>();
  #revision = '';

  constructor(most: number, weightOf: (made: T) => number = () => 1) {
    this.#most = most;
    this.#weightOf = weightOf;
  }

  get({ epoch, number }: Revision, key: string, make: () => Promise<T>): Promise<T> {
    const revision = `${epoch}.${number}`;
    if (this.#revision !== revision) this.#made.clear();
    this.#revision = revision;
    const known = this.#made.get(key);
    const made = known ?? { promise: make(), weight: 1 };
    this.#made.delete(key);
    this.#made.set(key, made);
    if (!known) this.#settle(key, made);
    return made.promise;
  }

  /** What was made for this key is not true any more. */
  forget(key: string): void {
    this.#made.delete(key);
  }

  #settle(key: string, made: Made<T>): void {
    this.#shrink();
    made.promise.then(
      (result) => {
        made.weight = this.#weightOf(result);
        // What is too much alone would take the place of everything else first.
        if (made.weight > this.#most && this.#made.get(key) === made) this.#made.delete(key);
        this.#shrink();
      },
      () => {
        if (this.#made.get(key) === made) this.#made.delete(key);
      },
    );
  }

  #shrink(): void {
    let weight = 0;
    for (const made of this.#made.values()) weight += made.weight;
    for (const [key, oldest] of this.#made) {
      if (weight <= this.#most) break;
      this.#made.delete(key);
      weight -= oldest.weight;
    }
  }
}
