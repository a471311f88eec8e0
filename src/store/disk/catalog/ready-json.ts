import type { ReadyJson } from '../../../registry/page.js';
import type { Entry } from '../listing/entry.js';
import type { Listing } from '../listing/listing.js';
import type { Ordered } from './postings.js';

const OPENING = 0x5b;
const CLOSING = 0x5d;
/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;

/** The whole listing as a JSON array: its blocks are pieces of that array already. */
export function jsonOfListing(listing: Listing): ReadyJson {
  const pieces = listing.pieces();
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return {
    bytes,
    pieces: () => pieces,
    copyTo(target) {
      let at = 0;
      for (const piece of pieces) {
        target.set(piece, at);
        at += piece.length;
      }
    },
  };
}

/** Some entries as a JSON array, put together from the blocks where their objects lie. */
export function jsonOfEntries(entries: Ordered): ReadyJson {
  // Each object has one separator: a comma before it, or the opening bracket. The closing one comes last.
  const bytes = Math.max(entries.reduce((sum, { length }) => sum + length + 1, 0) + 1, 2);
  return {
    bytes,
    copyTo: (target) => copyEntries(entries, target, bytes),
    pieces: () => piecesOf(entries),
  };
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

function* piecesOf(entries: Ordered): Generator<Uint8Array> {
  let from = 0;
  do {
    let [to, size] = [from, 0];
    for (; to < entries.length && size < PIECE_BYTES; to++) size += (entries[to] as Entry).length + 1;
    const isLast = to >= entries.length;
    // The closing bracket, and of an empty array the opening one, which otherwise takes the place of a comma.
    const piece = Buffer.allocUnsafeSlow(size + (isLast ? 1 : 0) + (size === 0 ? 1 : 0));
    let at = 0;
    for (const { block, start, length } of entries.slice(from, to)) {
      at += block.bytes.copy(piece, at, start - 1, start + length);
    }
    if (from === 0) piece[0] = OPENING;
    if (isLast) piece[piece.length - 1] = CLOSING;
    yield piece;
    from = to;
  } while (from < entries.length);
}
