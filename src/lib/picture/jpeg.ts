import { checkSize, PictureFault, part } from './bounds.js';

/** Markers of the segments that paint the picture (ITU-T T.81, table B.1): tables, frames, and Adobe's note of the colours. */
const [TABLES, RESTARTS, HUFFMAN, ADOBE] = [0xdb, 0xdd, 0xc4, 0xee];
/** Baseline, extended and progressive frames; browsers show no others. */
const FRAMES = [0xc0, 0xc1, 0xc2];
const [SCAN, END] = [0xda, 0xd9];
/** Progressive pictures come in scans; each makes a browser go through the whole picture. */
const MOST_SCANS = 50;

/** @throws PictureFault */
export function cleanJpeg(bytes: Buffer): Buffer {
  const kept = [part(bytes, 0, 2)];
  let scans = 0;
  let frames = 0;
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) throw new PictureFault('it is damaged');
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END && frames === 1 && scans > 0) return Buffer.concat([...kept, part(bytes, at, at + 2)]);
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const segment = part(bytes, at, end);
    const isFrame = FRAMES.includes(marker);
    if (isFrame) checkSize(segment.readUInt16BE(7), segment.readUInt16BE(5));
    if (isFrame) frames += 1;
    const isApplication = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (isFrame || [TABLES, RESTARTS, HUFFMAN, ADOBE].includes(marker)) kept.push(segment);
    else if (marker !== SCAN && !isApplication)
      throw new PictureFault('it is a JPEG that browsers do not show');
    at = end;
    if (marker === SCAN) {
      scans += 1;
      at = endOfScan(bytes, end);
      kept.push(segment, part(bytes, end, at));
    }
    if (scans > MOST_SCANS || frames > 1) throw new PictureFault('it has too many parts');
  }
}

/** Where the coded pixels end: at a marker that is neither an escaped byte nor a restart (T.81, section B.1.1.5). */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new PictureFault('the picture is cut off');
}
