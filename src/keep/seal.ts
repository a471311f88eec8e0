import { crc32 } from 'node:zlib';

/**
 * The checksum of a row, 32 bits: of its key, too, so that a value under another key is noticed. LevelDB has checksums of its own, but
 * classic-level offers no way to have them verified.
 */
export function sealOf(table: string, key: string, value: string): number {
  return crc32(value, crc32(`${table}\n${key}\n`));
}
