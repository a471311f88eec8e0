import type { Revision } from '../registry/revision.js';

/**
 * Keeps what was made for the current revision of the registry, under up to `most` keys; the least recently used one
 * goes first. Requests for what is being made wait for it.
 */
export class PerRevision<T> {
  readonly #most: number;
  readonly #made = new Map<string, Promise<T>>();
  #revision = '';

  constructor(most: number) {
    this.#most = most;
  }

  get({ epoch, number }: Revision, key: string, make: () => Promise<T>): Promise<T> {
    const revision = `${epoch}.${number}`;
    if (this.#revision !== revision) this.#made.clear();
    this.#revision = revision;
    const made = this.#made.get(key) ?? make();
    this.#made.delete(key);
    this.#made.set(key, made);
    const [oldest] = this.#made.keys();
    if (this.#made.size > this.#most && oldest !== undefined) this.#made.delete(oldest);
    made.catch(() => {
      if (this.#made.get(key) === made) this.#made.delete(key);
    });
    return made;
  }
}
