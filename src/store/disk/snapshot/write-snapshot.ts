import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pin } from '../../../component/pin.js';
import type { Breather } from '../../../lib/pace.js';
import type { CatalogContents } from '../catalog/catalog-index.js';
import { POSTED_FIELDS, type PostedField } from '../catalog/postings.js';
import { graphName } from '../database/graph-name.js';
import { IN_MEMORY } from '../listing/block-space.js';
import { writeBlocks } from '../listing/block-writer.js';
import type { Block, Entry, Stamp } from '../listing/entry.js';
import type { Origin } from '../listing/origin.js';
import { bytesOf, type Section, SnapshotWriter } from './snapshot-file.js';
import { COLUMNS, SNAPSHOT, type SnapshotHead, type SnapshotState, WIDTH } from './snapshot-head.js';

/** The catalog in one state. Nothing in it changes, whatever is committed meanwhile. */
export interface CatalogCopy extends SnapshotState, CatalogContents {}

/** Entries of a posting list that are looked at between two chances for other work. */
const STRIDE = 5000;
/** Entries that are not served and are written as a block. */
const TOGETHER = 100;

/**
 * Writes a snapshot in the place of the one before, giving way to other work. A crash leaves the old one, or one whose
 * checksums do not match. One at a time.
 */
export async function writeSnapshot(
  directory: string,
  copy: CatalogCopy,
  { writtenAs, breathe }: { readonly writtenAs: string; readonly breathe: Breather },
): Promise<void> {
  const unfinished = join(directory, `${SNAPSHOT}.new`);
  const writer = await SnapshotWriter.create(unfinished);
  try {
    const columns = new Columns(copy.served + copy.shadowed.length);
    const counts: number[] = [];
    const blocks: number[] = [];
    const listed = function* () {
      for (const { entries, bytes } of blocksOf(copy)) {
        for (const entry of entries) columns.add(entry);
        counts.push(entries.length);
        yield bytes;
      }
    };
    for await (const { bytes, crc, whole } of writer.appendCompressed(listed())) {
      blocks.push(counts.shift() ?? 0, bytes, crc, whole);
      await breathe();
    }
    const { tables, numbers, positions } = columns;
    const sections = {
      blocks: await writer.append(bytesOf(Uint32Array.from(blocks))),
      entries: await writer.append(bytesOf(numbers)),
      positions: await writer.append(bytesOf(positions)),
    };
    const { epoch, position, digest, served } = copy;
    await writer.end({
      writtenAs,
      epoch,
      position,
      digest,
      served,
      ...tables,
      values: byField((field) => copy.lists[field].map(([value]) => value)),
      sections: { ...sections, postings: await postings(writer, copy, breathe) },
    } satisfies SnapshotHead);
  } catch (error) {
    await writer.close();
    await rm(unfinished, { force: true });
    throw error;
  }
  await writer.close();
  await rename(unfinished, join(directory, SNAPSHOT));
}

function* blocksOf({ blocks, shadowed }: CatalogCopy): Generator<Block> {
  yield* blocks;
  for (let at = 0; at < shadowed.length; at += TOGETHER)
    yield* writeBlocks(shadowed.slice(at, at + TOGETHER), IN_MEMORY);
}

async function postings(
  writer: SnapshotWriter,
  { lists }: CatalogCopy,
  breathe: Breather,
): Promise<Record<PostedField, Section>> {
  const written: Partial<Record<PostedField, Section>> = {};
  for (const field of POSTED_FIELDS) {
    const total = lists[field].reduce((sum, [, { length }]) => sum + length, 0);
    const numbers = new Uint32Array(lists[field].length + total);
    let at = lists[field].length;
    for (const [i, [, entries]] of lists[field].entries()) {
      numbers[i] = entries.length;
      for (const entry of entries) {
        numbers[at] = entry.ordinal;
        at += 1;
        if (at % STRIDE === 0) await breathe();
      }
    }
    written[field] = await writer.append(bytesOf(numbers));
  }
  return byField((field) => written[field] as Section);
}

function byField<T>(of: (field: PostedField) => T): Record<PostedField, T> {
  return Object.fromEntries(POSTED_FIELDS.map((field) => [field, of(field)])) as Record<PostedField, T>;
}

/** What is said of entries in numbers, and the tables in which the rest stands once. */
class Columns {
  readonly numbers: Uint32Array;
  readonly positions: Float64Array;
  readonly #documents = new Numbered<Origin>();
  readonly #versions = new Numbered<string>();
  readonly #stamps = new Numbered<Stamp>();
  readonly #pins = new Numbered<Pin>();
  #count = 0;

  constructor(count: number) {
    this.numbers = new Uint32Array(count * WIDTH);
    this.positions = new Float64Array(count);
  }

  add(entry: Entry): void {
    const at = this.#count * WIDTH;
    const { latest } = entry;
    this.numbers[at + COLUMNS.length] = entry.length;
    this.numbers[at + COLUMNS.plain] = entry.plain;
    this.numbers[at + COLUMNS.latest] = latest === undefined ? 0 : latest ? 1 : 2;
    this.numbers[at + COLUMNS.document] = this.#documents.of(entry.origin);
    this.numbers[at + COLUMNS.version] = this.#versions.of(entry.version);
    this.numbers[at + COLUMNS.stamp] = this.#stamps.of(entry.stampedWith);
    this.numbers[at + COLUMNS.pin] = this.#pins.of(entry.pin);
    this.positions[this.#count] = entry.position;
    entry.ordinal = this.#count;
    this.#count += 1;
  }

  get tables(): Pick<SnapshotHead, 'documents' | 'versions' | 'stamps' | 'pins'> {
    const documents = this.#documents.all.map(({ source, document, standing, authority }) => {
      return { graph: graphName(source, document), standing, authority };
    });
    const [versions, stamps, pins] = [this.#versions.all, this.#stamps.all, this.#pins.all];
    return { documents, versions, stamps, pins };
  }
}

/** Numbers things in the order in which they come, from 1 on; 0 is for nothing. */
class Numbered<T> {
  readonly #numbers = new Map<T, number>();

  of(thing: T | undefined): number {
    if (thing === undefined) return 0;
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#numbers.set(thing, this.#numbers.size + 1);
    return this.#numbers.size;
  }

  get all(): T[] {
    return [...this.#numbers.keys()];
  }
}
