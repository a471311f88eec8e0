import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { Pace } from '../../lib/pace.js';

const deflate = promisify(deflateRaw);

/** RFC 1952, section 2.3: magic number, deflate, no flags, no time, no extra flags, unknown system. */
const HEAD = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** A last block with nothing in it (RFC 1951, section 3.2.6). */
const LAST_BLOCK = Buffer.of(3, 0);

/**
 * Compresses bodies that are made of pieces, and remembers each compressed piece for as long as the piece
 * lives: of a body in which little has changed, little is compressed again. Each piece is compressed without
 * reference to the others and ends at a whole byte, so that any pieces can be put together (RFC 1951, section 3.2.3).
 */
export class GzipPieces {
  readonly #compressed = new WeakMap<Uint8Array, Uint8Array>();
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** One gzip member in pieces; `undefined` when it would be larger than `maxBytes`, or when `signal` is aborted. */
  async compress(
    pieces: Iterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Uint8Array[] | undefined> {
    const result: Uint8Array[] = [HEAD];
    const breathe = this.#pace();
    let bytes = 0;
    let checksum = 0;
    let size = 0;
    for (const piece of pieces) {
      const part = this.#compressed.get(piece) ?? (await compressed(piece));
      bytes += part.length;
      if (signal.aborted || bytes > maxBytes) return undefined;
      this.#compressed.set(piece, part);
      result.push(part);
      // For an empty piece, zlib answers 0 instead of the checksum so far.
      if (piece.length > 0) checksum = crc32(piece, checksum);
      size += piece.length;
      await breathe();
    }
    return [...result, LAST_BLOCK, trailer(checksum, size)];
  }
}

function compressed(piece: Uint8Array): Promise<Uint8Array> {
  return deflate(piece, { finishFlush: constants.Z_SYNC_FLUSH });
}

function trailer(checksum: number, size: number): Uint8Array {
  const result = Buffer.alloc(8);
  result.writeUInt32LE(checksum, 0);
  result.writeUInt32LE(size % 2 ** 32, 4);
  return result;
}
