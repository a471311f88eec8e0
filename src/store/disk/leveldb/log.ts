import { levelChecksum } from './checksum.js';

/**
 * LevelDB's format of log files (doc/log_format.md of LevelDB): blocks of 32 KiB, and in them records of a
 * masked CRC-32C (4 bytes), a length (2 bytes), a type and so many bytes. Less than a header at the end of a
 * block is left empty. Changes are in `<number>.log`, the list of tables is in `MANIFEST-<number>`.
 */
const BLOCK = 32_768;
const HEADER = 7;
const TYPES = { full: 1, first: 2, middle: 3, last: 4 } as const;

/**
 * Says what is damaged in a log file; `undefined` for nothing. LevelDB itself passes over damaged changes without
 * a word. A record that the file ends in the middle of is what a crash leaves: it has never been acknowledged.
 */
export function logDamage(file: Buffer): string | undefined {
  let continued = false;
  for (let at = 0; at < file.length; ) {
    const blockEnd = Math.min(file.length, (Math.floor(at / BLOCK) + 1) * BLOCK);
    if (blockEnd - at < HEADER) {
      at = blockEnd;
      continue;
    }
    const length = file.readUInt16LE(at + 4);
    const end = at + HEADER + length;
    if (end > blockEnd) {
      return blockEnd === file.length && isTornEnd(file, at) ? undefined : `length of a record at byte ${at}`;
    }
    if (!isRecord(file, at, end)) return isEmpty(file, at) ? undefined : `checksum of a record at byte ${at}`;
    const type = file[at + 6];
    const continues = type === TYPES.middle || type === TYPES.last;
    if (continues !== continued) return `order of the records at byte ${at}`;
    continued = type === TYPES.first || type === TYPES.middle;
    at = end;
  }
  return undefined;
}

/** What was written to a log file without damage, piece by piece. */
export function* logRecords(file: Buffer): Generator<Buffer> {
  let parts: Buffer[] = [];
  for (let at = 0; at + HEADER <= file.length; ) {
    const blockEnd = Math.min(file.length, (Math.floor(at / BLOCK) + 1) * BLOCK);
    if (blockEnd - at < HEADER) {
      at = blockEnd;
      continue;
    }
    const end = at + HEADER + file.readUInt16LE(at + 4);
    if (end > blockEnd || !isRecord(file, at, end)) return;
    parts.push(file.subarray(at + HEADER, end));
    const type = file[at + 6];
    if (type === TYPES.full || type === TYPES.last) {
      yield Buffer.concat(parts);
      parts = [];
    }
    at = end;
  }
}

function isRecord(file: Buffer, at: number, end: number): boolean {
  const type = file[at + 6] ?? 0;
  return (
    type >= TYPES.full && type <= TYPES.last && file.readUInt32LE(at) === levelChecksum(file, at + 6, end)
  );
}

/** Space that a file system has reserved, and nothing was written to before the power failed. */
function isEmpty(file: Buffer, from: number): boolean {
  return file.subarray(from).every((byte) => byte === 0);
}

/**
 * Has the file been cut off in the middle of the record that begins here? If a whole record lies in what is
 * left, the length has been damaged instead.
 */
function isTornEnd(file: Buffer, from: number): boolean {
  if (isRecord(file, from, file.length)) return false;
  for (let at = from + 1; at + HEADER < file.length; at++) {
    const end = at + HEADER + file.readUInt16LE(at + 4);
    if (end <= file.length && isRecord(file, at, end)) return false;
  }
  return true;
}
