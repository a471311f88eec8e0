import { join } from 'node:path';
import type { Breather } from '../../../lib/pace.js';
import { CatalogIndex } from '../catalog/catalog-index.js';
import { POSTED_FIELDS, type PostedField } from '../catalog/postings.js';
import type { BlockSpace } from '../listing/block-space.js';
import { blockAlone } from '../listing/block-writer.js';
import { Block, Entry, type Ordered, type Stamp } from '../listing/entry.js';
import { Listing } from '../listing/listing.js';
import type { Origin } from '../listing/origin.js';
import { ShadowedStatements } from '../listing/shadowed.js';
import { type Piece, SnapshotReader, TornSnapshot } from './snapshot-file.js';
import {
  BLOCK_WIDTH,
  COLUMNS,
  SNAPSHOT,
  type SnapshotDocument,
  type SnapshotHead,
  type SnapshotState,
  WIDTH,
} from './snapshot-head.js';

/** The catalog that a snapshot shows, and who says each entry as readers were told then. */
export interface SnapshotCatalog {
  readonly state: SnapshotState;
  readonly index: CatalogIndex;
  /** The served ones, then the others. */
  readonly entries: readonly Entry[];
  readonly hasPins: boolean;
}

export interface ReadOptions {
  /** Is it of this data, and written as the configuration wants it? */
  readonly isWanted: (head: SnapshotHead) => Promise<boolean>;
  /** The origin of a document's entries. */
  readonly originOf: (document: SnapshotDocument) => Origin;
  /** Where the listing is kept. */
  readonly space: BlockSpace;
  readonly breathe: Breather;
}

/** @returns undefined where there is none that is wanted @throws TornSnapshot, StorageFailure */
export async function readSnapshot(
  directory: string,
  { isWanted, originOf, space, breathe }: ReadOptions,
): Promise<SnapshotCatalog | undefined> {
  const reader = await SnapshotReader.open(join(directory, SNAPSHOT));
  if (!reader) return undefined;
  try {
    const head = await reader.head<SnapshotHead>();
    if (!(await isWanted(head))) return undefined;
    const { blocks, entries } = await readEntries(reader, head, { originOf, space, breathe });
    const index = new CatalogIndex(space);
    const served = entries.slice(0, head.served);
    const shadowed = entries.slice(head.served);
    for (const entry of shadowed) entry.moveTo(blockAlone(entry, space), 1);
    const lists = await readPostings(reader, head, served, breathe);
    index.load(new Listing(blocks), new ShadowedStatements(shadowed), lists);
    return { state: head, index, entries, hasPins: head.pins.length > 0 };
  } finally {
    await reader.close();
  }
}

async function readEntries(
  reader: SnapshotReader,
  head: SnapshotHead,
  { originOf, space, breathe }: Pick<ReadOptions, 'originOf' | 'space' | 'breathe'>,
): Promise<{ blocks: Block[]; entries: Entry[] }> {
  const { sections } = head;
  const ofBlocks = numbersOf(await reader.bytes(sections.blocks));
  const maker = new EntryMaker(head, head.documents.map(originOf), {
    numbers: numbersOf(await reader.bytes(sections.entries)),
    positions: new Float64Array((await reader.bytes(sections.positions)).buffer),
  });
  const pieces: Piece[] = [];
  for (let at = 0; at < ofBlocks.length; at += BLOCK_WIDTH) {
    const [bytes = 0, crc = 0, whole = 0] = ofBlocks.subarray(at + 1, at + BLOCK_WIDTH);
    pieces.push({ bytes, crc, whole });
  }
  const blocks: Block[] = [];
  let next = 0;
  for await (const bytes of reader.pieces(0, pieces)) {
    const block = maker.block(bytes, ofBlocks[next * BLOCK_WIDTH] ?? 0);
    next += 1;
    if (maker.entries.length <= head.served) {
      space.store(block);
      block.place = blocks.length;
      blocks.push(block);
    }
    await breathe();
  }
  return { blocks, entries: maker.entries };
}

/** Makes entries of the numbers that are written of them, one after another. */
class EntryMaker {
  readonly entries: Entry[] = [];
  readonly #head: SnapshotHead;
  readonly #origins: readonly Origin[];
  readonly #numbers: Uint32Array;
  readonly #positions: Float64Array;

  constructor(
    head: SnapshotHead,
    origins: readonly Origin[],
    { numbers, positions }: { readonly numbers: Uint32Array; readonly positions: Float64Array },
  ) {
    this.#head = head;
    this.#origins = origins;
    this.#numbers = numbers;
    this.#positions = positions;
  }

  block(bytes: Buffer, count: number): Block {
    const entries: Entry[] = [];
    const block = new Block(bytes, entries);
    for (let start = 1; entries.length < count; ) {
      const entry = this.#entry(block, start);
      entries.push(entry);
      this.entries.push(entry);
      start += entry.length + 1;
    }
    return block;
  }

  #entry(block: Block, start: number): Entry {
    const { versions, stamps, pins } = this.#head;
    const ordinal = this.entries.length;
    const number = (column: number) => this.#numbers[ordinal * WIDTH + column] as number;
    const latest = number(COLUMNS.latest);
    const entry = new Entry(
      this.#origins[number(COLUMNS.document) - 1] as Origin,
      { block, start, length: number(COLUMNS.length) },
      {
        plain: number(COLUMNS.plain),
        version: versions[number(COLUMNS.version) - 1],
        latest: latest === 0 ? undefined : latest === 1,
        pin: pins[number(COLUMNS.pin) - 1],
      },
    );
    entry.stamp(this.#positions[ordinal] as number, stamps[number(COLUMNS.stamp) - 1] as Stamp);
    return entry;
  }
}

async function readPostings(
  reader: SnapshotReader,
  { values, sections }: SnapshotHead,
  served: Ordered,
  breathe: Breather,
): Promise<Record<PostedField, ReadonlyMap<string, Ordered>>> {
  const lists = {
    shapes: new Map<string, Ordered>(),
    tag: new Map<string, Ordered>(),
    author: new Map<string, Ordered>(),
  };
  for (const field of POSTED_FIELDS) {
    const numbers = numbersOf(await reader.bytes(sections.postings[field]));
    let at = values[field].length;
    for (const [i, value] of values[field].entries()) {
      // Of the length that it needs: one that grows has room for half as much again.
      const list = new Array<Entry>(numbers[i] as number);
      for (let next = 0; next < list.length; next++)
        list[next] = served[numbers[at + next] as number] as Entry;
      lists[field].set(value, list);
      at += list.length;
      await breathe();
    }
    if (at !== numbers.length) throw new TornSnapshot(`its lists of ${field} do not end where they should`);
  }
  return lists;
}

function numbersOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / Uint32Array.BYTES_PER_ELEMENT);
}
