/**
 * The pieces of a body. Where their total size is known in advance, it is sent as `Content-Length`, so that the client
 * notices when a part is missing.
 */
export interface BodyPieces extends AsyncIterable<string | Uint8Array> {
  /** The total size, where it is known. */
  readonly bytes?: number;
}

export type Body = string | Uint8Array | BodyPieces;

/** What was sent of a body when no more of it will be. */
export interface BodyEnd {
  readonly bytes: number;
  /** Why the node could not make the rest; absent when the body is complete, or when the client disconnected. */
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
