import type { ReadyJson } from './catalog.js';
import type { Listing } from './listing.js';
import { type Components, NO_COMPONENTS } from './postings.js';

const OPENING = 0x5b;
const COMMA = 0x2c;
const CLOSING = 0x5d;
/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;

/** The whole listing as a JSON array: its runs are pieces of that array already. */
export function jsonOfListing(listing: Listing): ReadyJson {
  return {
    bytes: listing.bytes,
    pieces: () => listing.pieces(),
    copyTo: (target) => listing.copyTo(target),
  };
}

/** Some components as a JSON array, copied from the runs where their objects lie. */
export class JsonOfComponents implements ReadyJson {
  readonly #components: Components;
  #bytes: number | undefined;

  constructor(components: Components = NO_COMPONENTS) {
    this.#components = components;
  }

  get bytes(): number {
    // Each object has one separator: a comma before it, or the opening bracket. The closing one comes last.
    this.#bytes ??= Math.max(
      this.#components.reduce((sum, { served }) => sum + served.length + 1, 1),
      2,
    );
    return this.#bytes;
  }

  copyTo(target: Uint8Array): void {
    const bytes = Buffer.from(target.buffer, target.byteOffset, target.byteLength);
    let at = 0;
    for (const { served } of this.#components) at += served.copyTo(bytes, at);
    bytes[0] = OPENING;
    bytes[this.bytes - 1] = CLOSING;
  }

  *pieces(): Generator<Uint8Array> {
    for (let from = 0, to = 0; ; from = to) {
      for (let bytes = 0; to < this.#components.length && bytes < PIECE_BYTES; to++)
        bytes += this.#components[to]?.served.length ?? 0;
      const isLast = to === this.#components.length;
      const whole = new JsonOfComponents(this.#components.slice(from, to));
      const piece = Buffer.allocUnsafe(whole.bytes);
      whole.copyTo(piece);
      if (from > 0) piece[0] = COMMA;
      yield isLast ? piece : piece.subarray(0, -1);
      if (isLast) return;
    }
  }
}
