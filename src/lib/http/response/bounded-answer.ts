import { Problem } from '../problem.js';
import { type Body, bytesOf, isWhole, readyBody } from './body.js';

/** Bytes of an answer that is neither a listing nor a feed (design, section 4). */
const MOST_BYTES = 10_000_000;

interface Bounded {
  readonly body?: Body;
  readonly streams?: boolean;
  readonly endless?: boolean;
}

/**
 * The answer, if it is no longer than answers may be; listings and feeds, which say so by `streams`, have any length. A body whose
 * length is not known before is put together first, because a client could not be told any more once the answer has begun.
 * @throws Problem 422 that says what to do
 */
export function boundedAnswer<A extends Bounded>(answer: A, most = MOST_BYTES): A | Promise<A> {
  const { body } = answer;
  if (answer.streams || answer.endless) return answer;
  const bytes = bytesOf(body);
  if (bytes !== undefined && bytes > most) throw tooLong(most);
  if (isWhole(body) || bytes !== undefined) return answer;
  return collected(body, most).then((whole) => ({ ...answer, body: readyBody(whole) }));
}

const encoder = new TextEncoder();

async function collected(
  pieces: AsyncIterable<string | Uint8Array>,
  most: number,
): Promise<readonly Uint8Array[]> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const one of pieces) {
    const piece = typeof one === 'string' ? encoder.encode(one) : one;
    bytes += piece.length;
    if (bytes > most) throw tooLong(most);
    read.push(piece);
  }
  return read;
}

function tooLong(most: number): Problem {
  const detail = `The answer would have more than ${most / 1_000_000} MB, the most that a node sends at once; page with limit and after, or ask for less`;
  return new Problem(422, detail);
}
