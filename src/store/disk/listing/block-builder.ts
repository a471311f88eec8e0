import type { BlockSpace } from './block-space.js';
import { placeEntries } from './block-writer.js';
import { Block, Entry } from './entry.js';
import type { EntryFacts, Origin } from './origin.js';

/** Bytes that a character of a text may take in UTF-8, at most. */
const WIDEST = 3;

/** Builds blocks from texts, one after another: while loading, and without a copy of each text in between. */
export class BlockBuilder {
  readonly #blocks: Block[] = [];
  readonly #kept: BlockSpace;
  #space: Buffer;
  #used = 0;
  #entries: Entry[] = [];
  /** Where entries lie until their block is complete. */
  readonly #unfinished = new Block(Buffer.alloc(0), []);

  constructor(kept: BlockSpace) {
    this.#kept = kept;
    this.#space = Buffer.allocUnsafeSlow(2 * kept.blockBytes);
  }

  /** The entry can be read once its block is complete. @throws StorageFailure */
  append(origin: Origin, text: string, facts: EntryFacts): Entry {
    const needed = 1 + text.length * WIDEST;
    if (this.#used > 0 && this.#used + needed > this.#space.length) this.#finish();
    if (needed > this.#space.length) this.#space = Buffer.allocUnsafeSlow(needed);
    const start = this.#used + 1;
    const length = this.#space.write(`,${text}`, this.#used) - 1;
    const entry = new Entry(origin, { block: this.#unfinished, start, length }, facts);
    this.#entries.push(entry);
    this.#used = start + length;
    if (this.#used >= this.#kept.blockBytes) this.#finish();
    return entry;
  }

  end(): readonly Block[] {
    if (this.#used > 0) this.#finish();
    return this.#blocks;
  }

  #finish(): void {
    const bytes = Buffer.allocUnsafeSlow(this.#used);
    this.#space.copy(bytes, 0, 0, this.#used);
    const block = new Block(bytes, this.#entries);
    placeEntries(block);
    block.place = this.#blocks.length;
    this.#kept.store(block);
    this.#blocks.push(block);
    this.#entries = [];
    this.#used = 0;
  }
}
