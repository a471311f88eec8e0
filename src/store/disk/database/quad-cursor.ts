import type { Quad } from '@rdfjs/types';
import type { AbstractIterator } from 'abstract-level';
import { readFault } from './damage.js';
import { type Level, locationOf } from './level.js';
import { rangeOf, readQuad } from './quad-keys.js';

/** Keys that are read ahead at first, and at most: as long as subjects are asked for in their order, twice as many each time. */
const AHEAD = { first: 32, most: 1000 };
const AHEAD_BYTES = 1_000_000;

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

  /**
   * All quads about a subject. It is quick where subjects are asked for in the order of their UTF-8 forms.
   * @throws DamagedData, and what the database says when a read fails
   */
  async about(subject: string): Promise<Quad[]> {
    const place = locationOf(this.#level) ?? 'memory';
    const entries = await this.#about(`${subject}\0\0`).catch((error) =>
      Promise.reject(readFault(place, error)),
    );
    return entries.map((entry) => readQuad(place, entry));
  }

  async #about(name: string): Promise<readonly Entry[]> {
    // All keys of the graph begin alike: what is behind that is compared.
    const behind = this.#range.start.length;
    const isAbout = (entry: Entry | undefined) => entry?.[0].startsWith(name, behind) === true;
    const isThere = (await this.#isBehind()) && isAbout(this.#entries[this.#at]);
    if (!isThere) await this.#moveTo(this.#range.start + name);
    const found: Entry[] = [];
    while (await this.#isBehind()) {
      // Without a pause for each of them: there are a dozen.
      for (; this.#at < this.#entries.length; this.#at++) {
        const entry = this.#entries[this.#at] as Entry;
        if (!isAbout(entry)) return found;
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
