const encoder = new TextEncoder();

/** What was sent of a body when no more of it will be. */
export interface BodyEnd {
  readonly bytes: number;
  /** Why the node could not make the rest; absent when the body is complete, or when the client disconnected. */
  readonly error?: unknown;
}

/**
 * A body that is made while it is being sent. A piece is made only when the one before has been sent: slow clients cost
 * no memory, and the work ends when a client disconnects. When a piece cannot be made, the stream fails and the
 * connection is closed, so that the client does not take the part for the whole.
 */
export function bodyStream(
  pieces: AsyncIterable<string | Uint8Array>,
  ended: (end: BodyEnd) => void,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let bytes = 0;
  let isLeft = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (isLeft) return;
          if (!done) {
            const piece = typeof value === 'string' ? encoder.encode(value) : value;
            bytes += piece.length;
            controller.enqueue(piece);
            return;
          }
        } catch (error) {
          if (isLeft) return;
          ended({ bytes, error });
          // This message reaches the client, so it must not tell anything about the node.
          controller.error(new Error('The answer could not be completed'));
          return;
        }
        controller.close();
        ended({ bytes });
      },
      async cancel() {
        // A piece that is being made is not sent any more.
        isLeft = true;
        try {
          await iterator.return?.();
          ended({ bytes });
        } catch (error) {
          ended({ bytes, error });
        }
      },
    },
    { highWaterMark: 0 },
  );
}
