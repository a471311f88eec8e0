import { checkSize, PictureFault, part } from './bounds.js';

/** Chunks that paint the picture (RFC 9649, section 2.7). */
const KEPT = ['VP8X', 'VP8 ', 'VP8L', 'ALPH'];
const MOVING = ['ANIM', 'ANMF'];
/** Of the flags of an extended picture: whether it is transparent. The others announce what is left out. */
const TRANSPARENT = 0x10;

/** @throws PictureFault */
export function cleanWebp(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  const end = 8 + bytes.readUInt32LE(4);
  let isPainted = false;
  for (let at = 12; at + 8 <= Math.min(end, bytes.length); ) {
    const type = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const chunk = Buffer.from(part(bytes, at, at + 8 + size + (size % 2)));
    if (MOVING.includes(type)) throw new PictureFault('it moves');
    if (KEPT.includes(type)) {
      checkSize(...sizeIn(type, chunk));
      if (type === 'VP8X') chunk[8] = (chunk[8] ?? 0) & TRANSPARENT;
      isPainted ||= type === 'VP8 ' || type === 'VP8L';
      kept.push(chunk);
    }
    at += chunk.length;
  }
  if (!isPainted) throw new PictureFault('the picture is cut off');
  const head = Buffer.from(part(bytes, 0, 12));
  head.writeUInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0), 4);
  return Buffer.concat([head, ...kept]);
}

function sizeIn(type: string, chunk: Buffer): [width: number, height: number] {
  if (type === 'VP8X') return [chunk.readUIntLE(12, 3) + 1, chunk.readUIntLE(15, 3) + 1];
  if (type === 'VP8 ') return [chunk.readUInt16LE(14) & 0x3fff, chunk.readUInt16LE(16) & 0x3fff];
  if (type === 'ALPH') return [1, 1];
  const both = chunk.readUInt32LE(9);
  return [(both & 0x3fff) + 1, ((both >>> 14) & 0x3fff) + 1];
}
