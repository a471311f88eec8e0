import type { AbstractIterator } from 'abstract-level';
import type { Level } from './level.js';

/** Begins the key of every quad. */
export const INDEX_PREFIX = 'GSPO\0\0';
/** Keys that are read ahead at first, and at most: as long as subjects are asked for in their order, twice as many each time. */
const AHEAD = { first: 32, most: 1000 };
const AHEAD_BYTES = 1_000_000;

/** Where the keys of a graph's quads begin and end, or of all quads. */
export function rangeOf(graph?: string): { readonly start: string; readonly end: string } {
  const start = graph === undefined ? INDEX_PREFIX : `${INDEX_PREFIX}${graph}\0\0`;
  return { start, end: `${start.slice(0, -1)}\u0001` };
}

type Entry = [key: string, value: string];

/** Walks through the quads of one graph, subject by subject. One question after another. */
export class QuadCursor {
  readonly #level: Level;
  readonly #range: { readonly start: string; readonly end: string };
  #iterator: AbstractIterator<Level, string, string> | undefined;
  #entries: readonly Entry[] = [];
  #next: Promise<readonly Entry[]> = Promise.resolve([]);
  #at = 0;
  #ahead = AHEAD.first;

  constructor(level: Level, graph: string) {
    this.#level = level;
    this.#range = rangeOf(graph);
  }

  /** The entries of all quads about a subject. It is quick where subjects are asked for in the order of their UTF-8 forms. */
  async about(subject: string): Promise<readonly Entry[]> {
    const start = `${this.#range.start}${subject}\0\0`;
    const isThere = (await this.#isBehind()) && this.#entries[this.#at]?.[0].startsWith(start);
    if (!isThere) await this.#moveTo(start);
    const found: Entry[] = [];
    while (await this.#isBehind()) {
      // Without a pause for each of them: there are a dozen.
      for (; this.#at < this.#entries.length; this.#at++) {
        const entry = this.#entries[this.#at] as Entry;
        if (!entry[0].startsWith(start)) return found;
        found.push(entry);
      }
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#iterator?.close();
  }

  /** Is there anything behind what has been handed out? */
  async #isBehind(): Promise<boolean> {
    if (this.#at === this.#entries.length && this.#iterator) {
      this.#entries = await this.#next;
      this.#at = 0;
      if (this.#entries.length > 0) this.#readAhead(this.#iterator);
    }
    return this.#entries.length > 0;
  }

  async #moveTo(gte: string): Promise<void> {
    await this.close();
    const options = { gte, lt: this.#range.end, highWaterMarkBytes: AHEAD_BYTES };
    this.#iterator = this.#level.iterator(options as object);
    this.#entries = [];
    this.#at = 0;
    this.#ahead = AHEAD.first;
    this.#readAhead(this.#iterator);
  }

  #readAhead(iterator: AbstractIterator<Level, string, string>): void {
    this.#next = iterator.nextv(this.#ahead);
    // Who asks on hears of a failure.
    this.#next.catch(() => undefined);
    this.#ahead = Math.min(2 * this.#ahead, AHEAD.most);
  }
}
