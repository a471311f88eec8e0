import { VarintReader } from './varint.js';

/** What a compressed block of bytes may become, at most: no block of LevelDB is nearly as long. */
const LONGEST = 64_000_000;

/**
 * Decompresses a block of Snappy (format_description.txt of google/snappy).
 * @throws RangeError for what is none
 */
export function unsnapped(bytes: Uint8Array): Buffer {
  const head = new VarintReader(bytes);
  const length = head.number();
  if (length > LONGEST) throw new RangeError('too long');
  const result = Buffer.alloc(length);
  let to = 0;
  for (let at = head.at; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    at = element.end;
    if (to + element.length > result.length) throw new RangeError('longer than announced');
    if (element.back === undefined) {
      if (at + element.length > bytes.length) throw new RangeError('cut off');
      result.set(bytes.subarray(at, at + element.length), to);
      at += element.length;
    } else {
      if (element.back === 0 || element.back > to) throw new RangeError('a copy of what is not there');
      // Byte by byte: a copy may reach into itself.
      for (let i = 0; i < element.length; i++) result[to + i] = result[to + i - element.back] ?? 0;
    }
    to += element.length;
  }
  if (to !== result.length) throw new RangeError('shorter than announced');
  return result;
}

/** A literal, whose bytes follow at `end`, or a copy of so many bytes from `back` bytes before. */
interface Element {
  readonly length: number;
  readonly back?: number;
  readonly end: number;
}

function elementAt(bytes: Uint8Array, at: number): Element {
  const tag = bytes[at] ?? 0;
  const upper = tag >>> 2;
  switch (tag & 3) {
    case 0: {
      if (upper < 60) return { length: upper + 1, end: at + 1 };
      const size = upper - 59;
      return { length: littleEndian(bytes, at + 1, size) + 1, end: at + 1 + size };
    }
    case 1:
      return { length: (upper & 7) + 4, back: ((tag >>> 5) << 8) | (bytes[at + 1] ?? 0), end: at + 2 };
    case 2:
      return { length: upper + 1, back: littleEndian(bytes, at + 1, 2), end: at + 3 };
    default:
      return { length: upper + 1, back: littleEndian(bytes, at + 1, 4), end: at + 5 };
  }
}

function littleEndian(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
