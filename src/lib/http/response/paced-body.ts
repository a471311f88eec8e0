import type { Breather } from '../../pace.js';
import type { Body } from './body.js';

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

/**
 * Puts short texts together to the pieces of a body, with pauses for other requests between them. They come in slices, so
 * that only what is read from elsewhere is waited for.
 */
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
