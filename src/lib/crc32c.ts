const POLYNOMIAL = 0x82f63b78;
/** Four bytes are processed at once, each with a table of its own (the "slicing-by-4" method). */
const TABLES = [0, 1, 2, 3].map(() => new Int32Array(256)) as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];
const [T0, T1, T2, T3] = TABLES;

for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  T0[byte] = crc;
}
for (let byte = 0; byte < 256; byte++) {
  T1[byte] = shifted(T0[byte] ?? 0);
  T2[byte] = shifted(T1[byte] ?? 0);
  T3[byte] = shifted(T2[byte] ?? 0);
}

function shifted(crc: number): number {
  return (crc >>> 8) ^ (T0[crc & 0xff] ?? 0);
}

/** CRC-32C (RFC 3720, appendix B.4) of the bytes from `from` up to `to`; `zlib` has CRC-32 only. */
export function crc32c(bytes: Buffer, from = 0, to = bytes.length): number {
  let crc = -1;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const x = crc ^ bytes.readInt32LE(at);
    crc =
      (T3[x & 0xff] ?? 0) ^ (T2[(x >>> 8) & 0xff] ?? 0) ^ (T1[(x >>> 16) & 0xff] ?? 0) ^ (T0[x >>> 24] ?? 0);
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ (T0[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}
