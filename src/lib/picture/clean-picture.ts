import { PictureFault } from './bounds.js';
import { cleanJpeg } from './jpeg.js';
import { cleanPng } from './png.js';
import { cleanWebp } from './webp.js';

/** A picture of a stranger that may be passed on: what browsers need to paint it, and nothing else. */
export interface CleanPicture {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly bytes: Buffer;
}

/**
 * Writes a PNG, JPEG or WebP picture anew, with what paints it alone: where and with what it was taken, comments, colour
 * profiles, previews and bytes behind its end are left out. @throws PictureFault for other formats, what moves, and what is too large
 */
export function cleanPicture(bytes: Buffer): CleanPicture {
  try {
    if (bytes.subarray(1, 4).toString('latin1') === 'PNG')
      return { type: 'image/png', bytes: cleanPng(bytes) };
    if (bytes.readUInt16BE(0) === 0xffd8) return { type: 'image/jpeg', bytes: cleanJpeg(bytes) };
    if (bytes.toString('latin1', 8, 12) === 'WEBP') return { type: 'image/webp', bytes: cleanWebp(bytes) };
  } catch (cause) {
    if (cause instanceof PictureFault) throw cause;
    // A length in it led beyond its end.
    if (cause instanceof RangeError) throw new PictureFault('the picture is cut off', { cause });
    throw cause;
  }
  throw new PictureFault('it is no PNG, JPEG or WebP picture');
}
