/**
 * The pieces of a body. Where their bytes are known before they are sent, the answer says how many there will
 * be: its reader can tell a part from the whole.
 */
export interface BodyPieces extends AsyncIterable<string | Uint8Array> {
  readonly bytes?: number;
}

export type Body = string | Uint8Array | BodyPieces;

/** So few bytes are sent in one piece. */
const FEW = 65_536;

/** A body whose pieces lie ready. */
export function readyBody(pieces: readonly Uint8Array[]): Body {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= FEW) return Buffer.concat(pieces);
  return {
    bytes,
    async *[Symbol.asyncIterator]() {
      yield* pieces;
    },
  };
}

export function isWhole(body: Body | undefined): body is string | Uint8Array | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

/** How many bytes it has, where that is known. */
export function bytesOf(body: Body | undefined): number | undefined {
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : body.bytes;
}
