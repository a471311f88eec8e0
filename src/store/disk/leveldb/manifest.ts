import { logRecords } from './log.js';
import { VarintReader } from './varint.js';

/** The fields of a change of LevelDB's list of files, by their tags (db/version_edit.cc of LevelDB). */
const TAGS = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const;

/**
 * The numbers of the tables that belong to a database, by its manifest, which is not damaged. A crash may have left
 * other tables behind, which LevelDB deletes when it opens the database.
 */
export function liveTables(manifest: Buffer): Set<number> {
  const live = new Set<number>();
  for (const record of logRecords(manifest)) {
    const reader = new VarintReader(record);
    // LevelDB has written it, and its checksum is good: what is not as expected is of a later release of LevelDB.
    while (!reader.isAtEnd) apply(reader, live);
  }
  return live;
}

/** @throws RangeError for an unknown field */
function apply(reader: VarintReader, live: Set<number>): void {
  const tag = reader.number();
  switch (tag) {
    case TAGS.comparator:
      reader.bytes();
      return;
    case TAGS.logNumber:
    case TAGS.nextFile:
    case TAGS.lastSequence:
    case TAGS.previousLog:
      reader.number();
      return;
    case TAGS.compactPointer:
      reader.number();
      reader.bytes();
      return;
    case TAGS.deletedFile:
      reader.number();
      live.delete(reader.number());
      return;
    case TAGS.newFile:
      reader.number();
      live.add(reader.number());
      // Its size, and its first and last keys.
      reader.number();
      reader.bytes();
      reader.bytes();
      return;
    default:
      throw new RangeError(`a manifest of LevelDB has the unknown field ${tag}`);
  }
}
