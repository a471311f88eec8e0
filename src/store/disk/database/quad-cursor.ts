import type { AbstractIterator } from 'abstract-level';
import { readFault } from './damage.js';
import { type Level, locationOf } from './level.js';
import { BETWEEN, rangeOf } from './quad-keys.js';

/** Keys that are read ahead at first, and at most: as long as subjects are asked for in their order, twice as many each time. */
const AHEAD = { first: 32, most: 1000 };
const AHEAD_BYTES = 1_000_000;

type Entry = [key: string, value: unknown];

/**
 * Walks through the keys of the quads of one graph, subject by subject. One question after another. The checksums of the
 * quads are not looked at: those of the files have been, when the database was opened.
 */
export class QuadCursor {
  readonly #level: Level;
  readonly #range: { readonly start: string; readonly end: string };
  #iterator: AbstractIterator<Level, string, string> | undefined;
  #entries: readonly Entry[] = [];
  /** What is being read ahead. */
  #next: Promise<readonly Entry[]> | undefined;
  #at = 0;
  #ahead = AHEAD.first;

  constructor(level: Level, graph: string) {
    this.#level = level;
    this.#range = rangeOf(graph);
  }

  /** Where the predicate begins in the keys about a subject. */
  predicateAt(subject: string): number {
    return this.#range.start.length + subject.length + BETWEEN.length;
  }

  /**
   * The keys of all quads about a subject. It is quick where subjects are asked for in the order of their UTF-8 forms: then most
   * are at hand, and nobody has to wait.
   * @throws DamagedData, and what the database says when a read fails
   */
  about(subject: string): readonly string[] | Promise<readonly string[]> {
    const found: string[] = [];
    const at = this.#take(subject + BETWEEN, this.#at, found);
    if (found.length === 0 || at === this.#entries.length) return this.#wait(subject + BETWEEN);
    this.#at = at;
    return found;
  }

  async close(): Promise<void> {
    await this.#iterator?.close();
  }

  async #wait(name: string): Promise<readonly string[]> {
    try {
      const found: string[] = [];
      const isThere = (await this.#isBehind()) && this.#isAbout(name, this.#at);
      if (!isThere) await this.#moveTo(this.#range.start + name);
      while (await this.#isBehind()) {
        this.#at = this.#take(name, this.#at, found);
        if (this.#at < this.#entries.length) break;
      }
      return found;
    } catch (error) {
      throw readFault(locationOf(this.#level) ?? 'memory', error);
    }
  }

  /** Adds the keys about a subject, from an index on. @returns the index of the first other one, or that of the end */
  #take(name: string, from: number, found: string[]): number {
    let at = from;
    for (; this.#isAbout(name, at); at++) found.push((this.#entries[at] as Entry)[0]);
    return at;
  }

  /** All keys of the graph begin alike: what is behind that is compared. */
  #isAbout(name: string, at: number): boolean {
    return this.#entries[at]?.[0].startsWith(name, this.#range.start.length) === true;
  }

  /** Is there anything behind what has been handed out? */
  async #isBehind(): Promise<boolean> {
    if (this.#at === this.#entries.length && this.#iterator) {
      this.#entries = await (this.#next ?? this.#read(this.#iterator));
      this.#at = 0;
      // Nothing is read ahead for a subject that is asked for out of order.
      const isInOrder = this.#ahead > 2 * AHEAD.first;
      this.#next = this.#entries.length > 0 && isInOrder ? this.#read(this.#iterator) : undefined;
    }
    return this.#entries.length > 0;
  }

  async #moveTo(gte: string): Promise<void> {
    await this.close();
    const options = { gte, lt: this.#range.end, values: false, highWaterMarkBytes: AHEAD_BYTES };
    this.#iterator = this.#level.iterator(options as object);
    this.#entries = [];
    this.#at = 0;
    this.#ahead = AHEAD.first;
    this.#next = this.#read(this.#iterator);
  }

  #read(iterator: AbstractIterator<Level, string, string>): Promise<readonly Entry[]> {
    const read = iterator.nextv(this.#ahead);
    // Who asks on hears of a failure.
    read.catch(() => undefined);
    this.#ahead = Math.min(2 * this.#ahead, AHEAD.most);
    return read;
  }
}
