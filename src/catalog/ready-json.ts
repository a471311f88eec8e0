import { LRUCache } from 'lru-cache';
import type { ReadyJson } from './catalog.js';
import type { Listing } from './listing.js';
import type { Components } from './postings.js';

const OPENING = Buffer.from('[');
const COMMA = Buffer.from(',');
/** What ends an array, and the line. */
const ENDING = Buffer.from(']\n');
const EMPTY = Buffer.concat([OPENING, ENDING]);
/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;
/** Bytes of lists that are kept as one piece. */
const KEPT_BYTES = 16_000_000;

/** The whole listing as a JSON array: its runs are pieces of that array already. */
export function jsonOfListing({ runs }: Listing): ReadyJson {
  const [first, ...others] = runs;
  const pieces = [
    OPENING,
    ...(first ? [first.withoutComma] : []),
    ...others.map(({ piece }) => piece),
    ENDING,
  ];
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return { bytes, pieces: () => pieces, whole: () => Buffer.concat(pieces) };
}

/**
 * Lists that are asked for again and again, each as one piece: to send that costs a third of putting it together. Without
 * them the row "shape query" of the bench falls from 0.63 to 0.13. For one state of the catalog: another one has other lists.
 */
export class KeptJson {
  readonly #kept = new LRUCache<Components, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  readonly #asked = new WeakSet<Components>();

  get(components: Components): Uint8Array | undefined {
    return this.#kept.get(components);
  }

  /** What is asked for once is not kept: it would take the garbage collector longer than to make it. */
  keep(components: Components, made: Uint8Array): Uint8Array {
    if (this.#asked.has(components)) this.#kept.set(components, made);
    this.#asked.add(components);
    return made;
  }
}

/** Some components as a JSON array, copied from the runs where their objects lie. `kept`: where others may ask for the same list. */
export function jsonOfComponents(components: Components, kept: KeptJson): ReadyJson {
  if (components.length === 0) return { bytes: EMPTY.length, whole: () => EMPTY, pieces: () => [EMPTY] };
  // Looked up first: the lengths of entries lie all over the memory, and to read them takes as long as to find the list.
  const made = kept.get(components);
  // Each object has one separator: a comma before it, or the opening bracket.
  const bytes =
    made?.length ?? ENDING.length + components.reduce((sum, { served }) => sum + served.length + 1, 0);
  return {
    bytes,
    whole: () => made ?? kept.keep(components, arrayOf(components, bytes)),
    pieces: () => piecesOf(components),
  };
}

function arrayOf(components: Components, bytes: number): Buffer {
  // Not from the pool of Node.js: what is kept would keep the others of its piece in memory.
  const array = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const { served } of components) at += served.copyTo(array, at);
  OPENING.copy(array);
  ENDING.copy(array, at);
  return array;
}

function* piecesOf(components: Components): Generator<Uint8Array> {
  for (let from = 0, to = 0; from < components.length; from = to) {
    let bytes = ENDING.length;
    for (; to < components.length && bytes < PIECE_BYTES; to++)
      bytes += (components[to]?.served.length ?? 0) + 1;
    const piece = arrayOf(components.slice(from, to), bytes);
    if (from > 0) COMMA.copy(piece);
    yield to === components.length ? piece : piece.subarray(0, -ENDING.length);
  }
}
