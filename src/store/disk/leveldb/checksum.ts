import { crc32c } from './crc32c.js';

/** LevelDB's checksum of bytes: masked, so that checksums of data with checksums in it stay good ones. */
export function levelChecksum(bytes: Uint8Array, from: number, to: number): number {
  const crc = crc32c(bytes, from, to);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
