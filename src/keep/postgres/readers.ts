import type { Database, Session } from './database.js';

/**
 * Reads of one state that last as long as somebody takes what is read. Each has a connection for itself: those that slow readers have
 * are bounded, so that commits and single rows never wait for them.
 */
export class Readers {
  readonly #database: Database;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #reading = 0;

  constructor(database: Database, most: number) {
    this.#database = database;
    this.#most = most;
  }

  /** @throws KeepUnavailable */
  async *reading<T>(read: (session: Session) => AsyncIterable<T>): AsyncGenerator<T> {
    await this.#begin();
    try {
      yield* this.#database.reading(read);
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    if (this.#reading >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#reading += 1;
  }

  /** The next one takes the turn over. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#reading -= 1;
  }
}
