const POLYNOMIAL = 0x82f63b78;
/**
 * Sixteen bytes are processed at once, each with a table of its own (the "slicing-by-16" method). The tables stand one
 * behind the other: the number of a table times 256, plus a byte.
 */
const TABLES = new Int32Array(16 * 256);

for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  TABLES[byte] = crc;
}
for (let at = 256; at < TABLES.length; at++) {
  const before = TABLES[at - 256] ?? 0;
  TABLES[at] = (before >>> 8) ^ (TABLES[before & 0xff] ?? 0);
}

/** CRC-32C (RFC 3720, appendix B.4) of the bytes from `from` up to `to`; `zlib` has CRC-32 only. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let crc = -1;
  let at = from;
  for (; at + 16 <= to; at += 16) {
    crc =
      entries(12, crc ^ words.getInt32(at, true)) ^
      entries(8, words.getInt32(at + 4, true)) ^
      entries(4, words.getInt32(at + 8, true)) ^
      entries(0, words.getInt32(at + 12, true));
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ entry(0, (crc ^ (bytes[at] ?? 0)) & 0xff);
  return ~crc >>> 0;
}

/** Those of the four bytes of a word: of its last one in the first of four tables. */
function entries(table: number, word: number): number {
  return (
    entry(table + 3, word & 0xff) ^
    entry(table + 2, (word >>> 8) & 0xff) ^
    entry(table + 1, (word >>> 16) & 0xff) ^
    entry(table, word >>> 24)
  );
}

function entry(table: number, byte: number): number {
  return TABLES[table * 256 + byte] ?? 0;
}
