import { compareText } from '../../../lib/compare-text.js';
import { lowerBound } from '../../../lib/lower-bound.js';
import type { Breather } from '../../../lib/pace.js';
import type { BlockSpace } from './block-space.js';
import { placeEntries, writeBlocks } from './block-writer.js';
import { Block, type Entry } from './entry.js';

/** An entry that comes, and its uri, which would have to be read from its bytes otherwise. */
export interface Arrival {
  readonly uri: string;
  readonly entry: Entry;
}

/** A place in the listing: before the entry with this number in the block with that number. */
interface Place {
  readonly block: number;
  readonly index: number;
}

const OPENING = Buffer.from('[');
const CLOSING = Buffer.from(']');

/**
 * The served entries in the order of their uris, in blocks that are pieces of the JSON listing. Never
 * changed: `changed` makes another one, that shares the blocks in which nothing changes.
 */
export class Listing {
  readonly size: number;
  readonly blocks: readonly Block[];

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    this.size = blocks.reduce((sum, { entries }) => sum + entries.length, 0);
  }

  get(uri: string): Entry | undefined {
    const { block, index } = this.#placeOf(uri);
    const entry = this.blocks[block]?.entries[index];
    return entry?.uri === uri ? entry : undefined;
  }

  /** The entries whose uris are greater than `after`; all of them without it. */
  *from(after?: string): Generator<Entry> {
    const { block, index } = after === undefined ? { block: 0, index: 0 } : this.#placeOf(after);
    let first = true;
    for (const { entries } of this.blocks.slice(block)) {
      for (const entry of first ? entries.slice(index) : entries) {
        if (!first || entry.uri !== after) yield entry;
        first = false;
      }
      first = false;
    }
  }

  /** The whole as a JSON array: one piece per block, and the brackets. */
  *pieces(): Generator<Buffer> {
    yield OPENING;
    for (const [i, block] of this.blocks.entries()) yield i === 0 ? block.withoutComma : block.bytes;
    yield CLOSING;
  }

  /** Bytes of all pieces. */
  get bytes(): number {
    return this.blocks.reduce((sum, { length }) => sum + length, this.blocks.length > 0 ? 1 : 2);
  }

  /** Orders the entries of this listing as their uris do, and is cheaper to ask. It holds until the next `place`. */
  positionBefore(uri: string): number {
    const { block, index } = this.#placeOf(uri);
    const entry = this.blocks[block]?.entries[index];
    return entry ? positionOf(entry) : Number.POSITIVE_INFINITY;
  }

  /** The listing without those and with these, in the order of their uris. Gives way to other work. @throws StorageFailure */
  async changed(
    gone: ReadonlySet<Entry>,
    come: readonly Arrival[],
    space: BlockSpace,
    breathe: Breather,
  ): Promise<Listing> {
    if (gone.size === 0 && come.length === 0) return this;
    const arrivals = await this.#byBlock(come, breathe);
    const all = this.blocks.length > 0 ? this.blocks : [EMPTY];
    const departed = new Set([...gone].map(({ block }) => this.#numberOf(block)));
    const touched = [...new Set([...arrivals.keys(), ...departed])].sort((one, other) => one - other);
    // Runs of blocks in which nothing changes are taken over whole: there may be thousands.
    const runs: (readonly Block[])[] = [];
    let at = 0;
    for (const number of touched) {
      if (number < at) continue;
      runs.push(this.blocks.slice(at, number));
      const rewriter = new Rewriter(space);
      for (at = number; at < all.length; at++) {
        const arrived = arrivals.get(at);
        if (!arrived && !departed.has(at) && !rewriter.isSmall) break;
        for (const entry of merged(all[at]?.entries ?? [], gone, arrived ?? [])) {
          rewriter.add(entry);
          await breathe();
        }
      }
      runs.push(rewriter.end());
    }
    runs.push(this.blocks.slice(at));
    return new Listing(runs.flat());
  }

  #numberOf(block: Block): number {
    return this.blocks[block.place] === block ? block.place : this.blocks.indexOf(block);
  }

  /** Makes it the listing that is served: tells its blocks and their entries where they now stand. */
  place(): void {
    this.blocks.forEach((block, place) => {
      if (block.place < 0) placeEntries(block);
      block.place = place;
    });
  }

  async #byBlock(come: readonly Arrival[], breathe: Breather): Promise<Map<number, Arrival[]>> {
    const arrivals = new Map<number, Arrival[]>();
    for (const arrival of come) {
      const block = Math.min(this.#placeOf(arrival.uri).block, Math.max(this.blocks.length - 1, 0));
      const list = arrivals.get(block);
      if (list) list.push(arrival);
      else arrivals.set(block, [arrival]);
      await breathe();
    }
    return arrivals;
  }

  /** The place of the first entry whose uri is not less. */
  #placeOf(uri: string): Place {
    const after = lowerBound(this.blocks, ({ firstUri }) => compareText(firstUri, uri) > 0);
    const block = Math.max(after - 1, 0);
    const entries = this.blocks[block]?.entries ?? [];
    const index = lowerBound(entries, (entry) => compareText(entry.uri, uri) >= 0);
    return index === entries.length && after > 0 ? { block: block + 1, index: 0 } : { block, index };
  }
}

/** A number that is greater for entries that stand later in the listing that is served. */
export function positionOf({ block, start }: Entry): number {
  return block.place * 2 ** 32 + start;
}

/** Makes blocks of entries, one after another. */
class Rewriter {
  readonly #blocks: Block[] = [];
  readonly #space: BlockSpace;
  #pending: Entry[] = [];
  #bytes = 0;

  constructor(space: BlockSpace) {
    this.#space = space;
  }

  /** Is there too little for a block of its own? */
  get isSmall(): boolean {
    return this.#pending.length > 0 && this.#bytes < this.#space.blockBytes / 4;
  }

  add(entry: Entry): void {
    this.#pending.push(entry);
    this.#bytes += entry.length + 1;
    if (this.#bytes >= 2 * this.#space.blockBytes) this.#flush();
  }

  end(): readonly Block[] {
    this.#flush();
    return this.#blocks;
  }

  #flush(): void {
    for (const block of this.#pending.length > 0 ? writeBlocks(this.#pending, this.#space) : []) {
      this.#space.store(block);
      this.#blocks.push(block);
    }
    this.#pending = [];
    this.#bytes = 0;
  }
}

const EMPTY = new Block(Buffer.alloc(0), []);

function* merged(
  entries: readonly Entry[],
  gone: ReadonlySet<Entry>,
  come: readonly Arrival[],
): Generator<Entry> {
  let next = 0;
  let arrival = come[next];
  for (const entry of entries) {
    // Uris are compared only while something is still to come.
    for (const uri = arrival && entry.uri; arrival && uri && arrival.uri <= uri; arrival = come[++next]) {
      yield arrival.entry;
    }
    if (!gone.has(entry)) yield entry;
  }
  for (; next < come.length; next++) yield (come[next] as Arrival).entry;
}
