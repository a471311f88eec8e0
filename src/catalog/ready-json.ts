import type { Entry } from './entry.js';
import type { Listing } from './listing.js';
import type { ReadyJson } from './page.js';
import { type Components, NO_COMPONENTS } from './postings.js';

const OPENING = 0x5b;
const CLOSING = 0x5d;
/** Bytes of a piece, roughly. Stretches that are shorter than a quarter of it are copied together. */
const PIECE_BYTES = 65_536;

/** The whole listing as a JSON array: its runs are pieces of that array already. */
export function jsonOfListing(listing: Listing): ReadyJson {
  return {
    bytes: listing.bytes,
    pieces: () => listing.pieces(),
    copyTo: (target) => listing.copyTo(target),
  };
}

/** Some components as a JSON array, copied from the runs where their objects lie. `of`: see `ReadyJson`. */
export class JsonOfComponents implements ReadyJson {
  readonly #components: Components;
  readonly of: object | undefined;
  #bytes: number | undefined;

  constructor(components: Components = NO_COMPONENTS, of?: object) {
    this.#components = components;
    this.of = of;
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
    let short: Buffer[] = [Buffer.from('[')];
    let bytes = 1;
    const copied = () => {
      const piece = Buffer.concat(short, bytes);
      [short, bytes] = [[], 0];
      return piece;
    };
    for (const stretch of withoutFirstComma(stretchesOf(this.#components))) {
      if (stretch.length >= PIECE_BYTES / 4) {
        if (bytes > 0) yield copied();
        yield stretch;
        continue;
      }
      short.push(stretch);
      bytes += stretch.length;
      if (bytes >= PIECE_BYTES) yield copied();
    }
    short.push(Buffer.from(']'));
    bytes += 1;
    yield copied();
  }
}

function* withoutFirstComma(stretches: Iterable<Buffer>): Generator<Buffer> {
  let isFirst = true;
  for (const stretch of stretches) {
    yield isFirst ? stretch.subarray(1) : stretch;
    isFirst = false;
  }
}

/** The bytes of what is served of components, each with the comma before it; those that lie side by side in one stretch. */
function* stretchesOf(components: Components): Generator<Buffer> {
  let stretch: { readonly first: Entry; readonly from: number; to: number } | undefined;
  const bytes = ({ first, from, to }: NonNullable<typeof stretch>) =>
    first.run?.bytes.subarray(from, to) ?? Buffer.alloc(0);
  for (const { served } of components) {
    const from = served.start - 1;
    const isNext = stretch?.first.run === served.run && stretch?.to === from;
    if (stretch && isNext && from - stretch.from < PIECE_BYTES) {
      stretch.to = from + 1 + served.length;
      continue;
    }
    if (stretch) yield bytes(stretch);
    stretch = { first: served, from, to: from + 1 + served.length };
  }
  if (stretch) yield bytes(stretch);
}
