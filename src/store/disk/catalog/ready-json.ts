import type { ReadyJson } from '../../../registry/page.js';
import type { Block, Ordered } from '../listing/entry.js';
import type { Listing } from '../listing/listing.js';

const OPENING = 0x5b;
const CLOSING = 0x5d;
/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;

/** The whole listing as a JSON array: its blocks are pieces of that array already. */
export function jsonOfListing(listing: Listing): ReadyJson {
  return {
    bytes: listing.bytes,
    pieces: () => listing.pieces(),
    copyTo(target) {
      let at = 0;
      for (const piece of listing.pieces()) {
        target.set(piece, at);
        at += piece.length;
      }
    },
  };
}

/**
 * Some entries as a JSON array, put together from the blocks where their objects lie. `of`: as in `ReadyJson`. A class,
 * because V8 makes a hidden class for every single object that is written with a getter: such objects are slow, and all that
 * they refer to lives until the whole heap is tidied.
 */
export class JsonOfEntries implements ReadyJson {
  readonly #entries: Ordered;
  readonly of: object | undefined;
  #bytes: number | undefined;

  constructor(entries: Ordered, of?: object) {
    this.#entries = entries;
    this.of = of;
  }

  get bytes(): number {
    // Each object has one separator: a comma before it, or the opening bracket. The closing one comes last.
    this.#bytes ??= Math.max(this.#entries.reduce((sum, { length }) => sum + length + 1, 0) + 1, 2);
    return this.#bytes;
  }

  copyTo(target: Uint8Array): void {
    copyEntries(this.#entries, target, this.bytes);
  }

  pieces(): Generator<Uint8Array> {
    return piecesOf(this.#entries);
  }
}

function copyEntries(entries: Ordered, target: Uint8Array, bytes: number): void {
  let at = 0;
  for (const { block, start, length } of entries) {
    // With the comma that stands before the object in its block.
    at += block.bytes.copy(target, at, start - 1, start + length);
  }
  target[0] = OPENING;
  target[bytes - 1] = CLOSING;
}

/** A stretch of a block that is sent as it is; shorter ones are copied together. */
const LONG_STRETCH = 16_384;

/** Entries that lie side by side, as most do in an answer with nearly everything, are sent from where they lie. */
function* piecesOf(entries: Ordered): Generator<Uint8Array> {
  let first = true;
  let short: Buffer[] = [];
  let bytes = 0;
  const copied = () => {
    const piece = Buffer.concat(short, bytes);
    short = [];
    bytes = 0;
    return piece;
  };
  for (const stretch of stretchesOf(entries)) {
    // With the comma before it, in the place of which the opening bracket comes first.
    if (first) short.push(BRACKET);
    const part = first ? stretch.subarray(1) : stretch;
    bytes += part.length + Number(first);
    first = false;
    if (part.length < LONG_STRETCH) short.push(part);
    else {
      bytes -= part.length;
      if (bytes > 0) yield copied();
      yield part;
    }
    if (bytes >= PIECE_BYTES) yield copied();
  }
  const end = first ? '[]' : ']';
  short.push(Buffer.from(end));
  bytes += end.length;
  yield copied();
}

const BRACKET = Buffer.from('[');

/** The bytes of entries, each with the comma before it; those that lie side by side in one stretch. */
function* stretchesOf(entries: Ordered): Generator<Buffer> {
  let run: { readonly block: Block; readonly from: number; to: number } | undefined;
  for (const { block, start, length } of entries) {
    if (run && run.block === block && run.to === start - 1 && run.to - run.from < PIECE_BYTES) {
      run.to = start + length;
      continue;
    }
    if (run) yield run.block.bytes.subarray(run.from, run.to);
    run = { block, from: start - 1, to: start + length };
  }
  if (run) yield run.block.bytes.subarray(run.from, run.to);
}
