const POLYNOMIAL = 0x82f63b78;
/**
 * Eight bytes are processed at once, each with a table of its own (the "slicing-by-8" method). The tables stand one
 * behind the other: the number of a table times 256, plus a byte.
 */
const TABLES = new Int32Array(8 * 256);

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
  let crc = -1;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    crc =
      entry(7, (crc ^ (bytes[at] ?? 0)) & 0xff) ^
      entry(6, ((crc >>> 8) ^ (bytes[at + 1] ?? 0)) & 0xff) ^
      entry(5, ((crc >>> 16) ^ (bytes[at + 2] ?? 0)) & 0xff) ^
      entry(4, (crc >>> 24) ^ (bytes[at + 3] ?? 0)) ^
      entry(3, bytes[at + 4] ?? 0) ^
      entry(2, bytes[at + 5] ?? 0) ^
      entry(1, bytes[at + 6] ?? 0) ^
      entry(0, bytes[at + 7] ?? 0);
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ entry(0, (crc ^ (bytes[at] ?? 0)) & 0xff);
  return ~crc >>> 0;
}

function entry(table: number, byte: number): number {
  return TABLES[table * 256 + byte] ?? 0;
}
