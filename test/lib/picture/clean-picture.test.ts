import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PictureFault } from '../../../src/lib/picture/bounds.js';
import { cleanPicture } from '../../../src/lib/picture/clean-picture.js';
import { JPEG, PNG, WEBP } from '../../support/tiny-pictures.js';

const SECRET = 'GPS 50.85 4.35';
/** A chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
/** Puts bytes into others. */
const within = (bytes: Buffer, at: number, more: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
const [HEADER, SIZE] = [33, 16];
const SEGMENT = Buffer.concat([Buffer.from([0xff, 0xe1, 0, SECRET.length + 2]), Buffer.from(SECRET)]);
const EXIF = Buffer.concat([Buffer.from('EXIF'), Buffer.from([SECRET.length, 0, 0, 0]), Buffer.from(SECRET)]);

function webpWith(more: Buffer): Buffer {
  const bytes = Buffer.concat([WEBP, more]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}
const withSecret = {
  png: within(PNG, HEADER, chunk('tEXt', Buffer.from(SECRET))),
  jpeg: within(JPEG, 2, SEGMENT),
  webp: webpWith(EXIF),
};
/** What an attempt comes to: bytes, or the words of the fault. Any other error is one of ours. */
function attempt(bytes: Buffer): Buffer | string {
  try {
    return cleanPicture(bytes).bytes;
  } catch (error) {
    if (error instanceof PictureFault) return error.message;
    throw error;
  }
}

describe('a picture of a stranger', () => {
  test.each([
    ['png', 'image/png', PNG],
    ['jpeg', 'image/jpeg', JPEG],
    ['webp', 'image/webp', WEBP],
  ] as const)('is written anew, with what paints it alone: %s', (name, type, bytes) => {
    const clean = cleanPicture(bytes);
    expect(clean.type).toBe(type);
    expect(cleanPicture(withSecret[name]).bytes).toEqual(clean.bytes);
    expect(cleanPicture(clean.bytes).bytes).toEqual(clean.bytes);
    expect(clean.bytes.includes('ICC')).toBe(false);
    expect(cleanPicture(Buffer.concat([bytes, Buffer.from('<script>alert(1)</script>')])).bytes).toEqual(
      clean.bytes,
    );
  });

  test('is refused where it moves, is too large, damaged, or of another format', () => {
    const large = Buffer.from(PNG);
    large.writeUInt32BE(2001, SIZE);
    large.writeUInt32BE(crc32(large.subarray(12, HEADER - 4)), HEADER - 4);
    const frame = JPEG.indexOf(Buffer.from([0xff, 0xc0]));
    const wide = Buffer.from(JPEG);
    wide.writeUInt16BE(60_000, frame + 7);
    const canvas = Buffer.from(WEBP);
    canvas.writeUIntLE(99_999, WEBP.indexOf('VP8X') + 12, 3);
    const damaged = Buffer.from(PNG);
    damaged[SIZE] = 1;
    const faults = [
      within(PNG, HEADER, chunk('acTL', Buffer.alloc(8))),
      webpWith(Buffer.from('ANIM\u0002\0\0\0xy')),
      large,
      wide,
      canvas,
      damaged,
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      Buffer.from('GIF89a'),
      Buffer.alloc(0),
    ].map(attempt);
    expect(faults).toEqual([
      'it moves',
      'it moves',
      'it has 2001 × 2 pixels; 2000 each way is the most',
      'it has 60000 × 2 pixels; 2000 each way is the most',
      'it has 100000 × 2 pixels; 2000 each way is the most',
      'it is damaged',
      ...Array(2).fill('it is no PNG, JPEG or WebP picture'),
      'the picture is cut off',
    ]);
  });

  test('breaks nothing, wherever it is cut off or changed', () => {
    for (const bytes of [PNG, JPEG, WEBP])
      for (let at = 0; at < bytes.length; at++) {
        const cut = attempt(bytes.subarray(0, at));
        if (bytes !== WEBP) expect([at, typeof cut]).toEqual([at, 'string']);
        const changed = Buffer.from(bytes);
        changed[at] = 255 - (changed[at] ?? 0);
        attempt(changed);
      }
  });
});
