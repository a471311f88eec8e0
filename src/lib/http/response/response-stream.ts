const encoder = new TextEncoder();

/** What becomes of a body once nothing more of it is sent. */
export interface BodyEnd {
  readonly bytes: number;
  /** Why it was cut short on this side; absent when it is complete, or when the reader went away. */
  readonly error?: unknown;
}

/**
 * A body that is made while it is sent: a piece is asked for only when the one before has been taken, so a
 * slow reader costs no memory, and a reader who leaves ends the work. When making a piece fails the stream
 * fails, so the connection breaks and nobody takes the part for the whole.
 */
export function bodyStream(
  pieces: AsyncIterable<string | Uint8Array>,
  ended: (end: BodyEnd) => void,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (!done) {
            const piece = typeof value === 'string' ? encoder.encode(value) : value;
            bytes += piece.length;
            controller.enqueue(piece);
            return;
          }
        } catch (error) {
          ended({ bytes, error });
          // The server prints the message it is given: say nothing of the inside.
          controller.error(new Error('The answer could not be completed'));
          return;
        }
        controller.close();
        ended({ bytes });
      },
      async cancel() {
        await iterator.return?.();
        ended({ bytes });
      },
    },
    { highWaterMark: 0 },
  );
}
