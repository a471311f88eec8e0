import type { Breather, Pace } from '../../pace.js';
import type { Body } from './body.js';

/** Length of the pieces in which a long body is sent, in characters; a shorter one is sent whole, and may be cached. */
export const PIECE_LENGTH = 131_072;

/** A body of many short texts. A long one is made while it is being sent, with pauses for other requests between its texts. */
export function pacedBody(texts: Iterable<string>, pace: Pace): Promise<Body> {
  return bodyOfTexts(joined(texts, pace()));
}

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

async function* joined(texts: Iterable<string>, breathe: Breather): AsyncGenerator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    const pause = breathe();
    if (pause) await pause;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
