/** Why a picture is not passed on. */
export class PictureFault extends Error {
  override readonly name = 'PictureFault';
}

/** Largest width and height, in pixels: a small file could otherwise unpack to gigabytes in a browser. */
const MOST_PIXELS = 2_000;

/** @throws PictureFault */
export function checkSize(width: number, height: number): void {
  if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS)
    throw new PictureFault(`it has ${width} × ${height} pixels; ${MOST_PIXELS} each way is the most`);
}

/** The bytes of a part. @throws PictureFault when the picture ends before */
export function part(bytes: Buffer, start: number, end: number): Buffer {
  if (end > bytes.length || end < start) throw new PictureFault('the picture is cut off');
  return bytes.subarray(start, end);
}
