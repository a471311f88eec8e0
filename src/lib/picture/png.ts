import { crc32 } from 'node:zlib';
import { checkSize, PictureFault, part } from './bounds.js';

/** Chunks that paint the picture: header, palette, transparency and pixels (PNG, third edition, section 11). */
const KEPT = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
/** Chunks of pictures that move. */
const MOVING = ['acTL', 'fcTL', 'fdAT'];
const SIGNATURE = 8;

/** @throws PictureFault */
export function cleanPng(bytes: Buffer): Buffer {
  const kept = [part(bytes, 0, SIGNATURE)];
  for (let at = SIGNATURE; ; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const chunk = part(bytes, at, end);
    const type = chunk.toString('latin1', 4, 8);
    if (MOVING.includes(type)) throw new PictureFault('it moves');
    if (crc32(chunk.subarray(4, -4)) !== chunk.readUInt32BE(chunk.length - 4))
      throw new PictureFault('it is damaged');
    if ((type === 'IHDR') !== (at === SIGNATURE))
      throw new PictureFault('its header is not at its beginning');
    if (type === 'IHDR') checkSize(chunk.readUInt32BE(8), chunk.readUInt32BE(12));
    if (KEPT.includes(type)) kept.push(chunk);
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
}
