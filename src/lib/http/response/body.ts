import type { Breather } from '../../pace.js';

/**
 * The pieces of a body. Where their total size is known in advance, it is sent as `Content-Length`, so that the client
 * notices when a part is missing.
 */
export interface BodyPieces extends AsyncIterable<string | Uint8Array> {
  /** The total size, where it is known. */
  readonly bytes?: number;
}

export type Body = string | Uint8Array | BodyPieces;

/** What was sent of a body when no more of it will be, and why, where the node could not make the rest. */
export interface BodyEnd {
  readonly bytes: number;
  readonly error?: unknown;
}

/** Is the body complete, and not made in pieces while it is being sent? */
export function isWhole(body: Body | undefined): body is string | Uint8Array | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

/** How many bytes it has, where that is known. */
export function bytesOf(body: Body | undefined): number | undefined {
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : body.bytes;
}

/** Length of the pieces in which a long body is sent, in characters; a shorter one is sent whole, and may be cached. */
const PIECE_LENGTH = 131_072;

/** A body that is complete after its first piece is sent whole, so that its length can be announced. */
export async function bodyOfTexts(pieces: AsyncGenerator<string>): Promise<Body> {
  const first = await pieces.next();
  if (first.done) return '';
  const second = await pieces.next();
  if (second.done) return first.value;
  const read = [first, second];
  // Not a generator: one that has not begun does not pass on that its reader has gone.
  const next = async () => read.shift() ?? pieces.next();
  return { [Symbol.asyncIterator]: () => ({ next, return: () => pieces.return(undefined) }) };
}

/** Puts short texts, which come in slices, together to the pieces of a body, with pauses for other requests between them. */
export async function* inPieces(
  slices: AsyncIterable<Iterable<string>> | Iterable<Iterable<string>>,
  breathe: Breather,
): AsyncGenerator<string> {
  let piece = '';
  for await (const slice of slices) {
    for (const text of slice) {
      piece += text;
      const pause = breathe();
      if (pause) await pause;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
    await breathe();
  }
  if (piece !== '') yield piece;
}
