/** Bytes of a piece of memory that is used again; larger bodies get memory of their own. */
const PIECE = 131_072;
/** Pieces that wait to be used again, at most: as many as answers are usually under way. */
const WAITING = 64;

const waiting: Buffer[] = [];

/** Memory for a body, and how it is given back. */
export interface PooledBody {
  readonly bytes: Buffer;
  /** To be called, at most once, when the system has taken the body over and nobody looks at it any more. */
  readonly release: () => void;
}

/**
 * Memory for bodies that are made for one answer, not zeroed. It is used again: the garbage collector would be
 * called many times a second otherwise, because of memory that is needed for microseconds.
 */
export function pooledBody(size: number): PooledBody {
  if (size > PIECE) return { bytes: Buffer.allocUnsafeSlow(size), release: () => undefined };
  const piece = waiting.pop() ?? Buffer.allocUnsafeSlow(PIECE);
  return {
    bytes: piece.subarray(0, size),
    release: () => {
      if (waiting.length < WAITING) waiting.push(piece);
    },
  };
}
