import { levelChecksum } from './checksum.js';
import { unsnapped } from './snappy.js';
import { VarintReader } from './varint.js';

/**
 * LevelDB's format of tables (doc/table_format.md of LevelDB): blocks, each followed by a byte that says how it is
 * compressed and by a checksum of four bytes. The footer gives the places of the two blocks that name all others.
 */
const FOOTER = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');
const TRAILER = 5;
const NONE = 0;
const SNAPPY = 1;
/** No block is of this type, so LevelDB refuses to read it. */
const UNREADABLE = 0xff;

/** A block without its trailer. */
interface Place {
  readonly offset: number;
  readonly size: number;
}

/** What is damaged in a table. */
export interface TableDamage {
  /** For messages. */
  readonly what: string;
  /** The blocks that do not match their checksums; none when nothing can be found in the file. */
  readonly blocks: readonly Place[];
}

/**
 * Finds what is damaged in a table file; `undefined` for nothing. LevelDB does not look at the checksums of tables by
 * itself, and some damaged blocks end the process that reads them.
 */
export function tableDamage(file: Buffer): TableDamage | undefined {
  try {
    const ends = placesInFooter(file);
    const damagedEnds = ends.filter((place) => isDamaged(file, place));
    if (damagedEnds.length > 0) return damageOf(damagedEnds);
    const places = ends.flatMap((place) => placesInBlock(file, place));
    const damaged = places.filter((place) => isDamaged(file, place));
    if (damaged.length > 0) return damageOf(damaged);
    const bytes = [...ends, ...places].reduce((sum, { size }) => sum + size + TRAILER, FOOTER);
    return bytes === file.length ? undefined : { what: 'length of the file', blocks: [] };
  } catch (error) {
    if (error instanceof RangeError) return { what: 'end of the file', blocks: [] };
    throw error;
  }
}

/** The same table, so that LevelDB reports what is damaged in it when it reads that. */
export function madeReportable(file: Buffer, { blocks }: TableDamage): Buffer {
  const copy = Buffer.from(file);
  for (const { offset, size } of blocks) copy[offset + size] = UNREADABLE;
  if (blocks.length === 0) copy.fill(0, Math.max(0, copy.length - MAGIC.length));
  return copy;
}

function damageOf(blocks: readonly Place[]): TableDamage {
  return { what: `checksum of the block at byte ${blocks[0]?.offset}`, blocks };
}

/** @throws RangeError for a file without a good footer */
function placesInFooter(file: Buffer): Place[] {
  const footer = file.subarray(-FOOTER);
  if (footer.length < FOOTER || !footer.subarray(-MAGIC.length).equals(MAGIC))
    throw new RangeError('no footer');
  const reader = new VarintReader(footer);
  return [placeIn(reader, file), placeIn(reader, file)];
}

/** The places that a block names, in the values of its entries. @throws RangeError */
function placesInBlock(file: Buffer, place: Place): Place[] {
  const contents = contentsOf(file, place);
  const restarts = contents.readUInt32LE(contents.length - 4);
  const entries = new VarintReader(contents.subarray(0, contents.length - 4 * (restarts + 1)));
  const places: Place[] = [];
  while (!entries.isAtEnd) {
    entries.number();
    const [keyLength, valueLength] = [entries.number(), entries.number()];
    entries.bytes(keyLength);
    places.push(placeIn(new VarintReader(entries.bytes(valueLength)), file));
  }
  return places;
}

/** @throws RangeError for a place that is not in the file */
function placeIn(reader: VarintReader, file: Buffer): Place {
  const place = { offset: reader.number(), size: reader.number() };
  if (place.offset + place.size + TRAILER > file.length - FOOTER)
    throw new RangeError('beyond the end of the file');
  return place;
}

function contentsOf(file: Buffer, { offset, size }: Place): Buffer {
  const contents = file.subarray(offset, offset + size);
  switch (file[offset + size]) {
    case NONE:
      return contents;
    case SNAPPY:
      return unsnapped(contents);
    default:
      throw new RangeError('compressed in an unknown way');
  }
}

function isDamaged(file: Buffer, { offset, size }: Place): boolean {
  const end = offset + size + 1;
  return file.readUInt32LE(end) !== levelChecksum(file, offset, end);
}
