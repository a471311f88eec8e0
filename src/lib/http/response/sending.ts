import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './answer.js';
import { type BodyPieces, bytesOf, isWhole } from './body.js';

/** Sends a reply by `node:http`. A body that cannot be completed closes the connection, so that the client notices. */
export function sendReply({ status, headers, body, hold, finished }: Reply, outgoing: ServerResponse): void {
  try {
    outgoing.writeHead(status, headers);
  } catch (error) {
    finished({ bytes: 0, error });
    outgoing.destroy();
    return;
  }
  if (isWhole(body)) {
    holdUntilSent(hold, outgoing);
    outgoing.end(body);
    finished({ bytes: bytesOf(body) ?? 0 });
    // Why it failed, `finished` is told.
  } else pipeline(Readable.from(counted(body, finished)), outgoing).catch(() => undefined);
}

/** Holds what a body is made of until the response has been sent, or its reader has gone. */
export function holdUntilSent(hold: Reply['hold'], outgoing: ServerResponse): void {
  const { socket } = outgoing.req;
  if (!hold || socket.destroyed) return;
  const release = hold();
  // A response that waits for others on its connection is not told when that is closed.
  const over = () => {
    outgoing.off('close', over);
    socket.off('close', over);
    release();
  };
  outgoing.once('close', over);
  socket.once('close', over);
}

/** Bytes of a held body that are handed to a response at a time. */
const PIECE = 65_536;

/** A whole body in pieces, so that it is known when its reader has all of them or has gone. */
function heldPieces(body: Uint8Array, hold: () => () => void): BodyPieces {
  const begin = (): AsyncIterator<Uint8Array> => {
    let release: (() => void) | undefined = hold();
    let at = 0;
    const end = async (): Promise<IteratorResult<Uint8Array>> => {
      release?.();
      release = undefined;
      return { done: true, value: undefined };
    };
    const next = async () => {
      if (at >= body.length) return end();
      const value = body.subarray(at, at + PIECE);
      at += PIECE;
      return { done: false, value };
    };
    return { next, return: end };
  };
  return { bytes: body.length, [Symbol.asyncIterator]: begin };
}

/** Makes the response of a reply. Whoever reads its headers before they are sent makes it slower by a third. */
export function toResponse(
  { status, headers, body: whole, hold, finished }: Reply,
  method: string,
): Response {
  const init = { status, headers };
  const isHeld = hold && whole instanceof Uint8Array && method !== 'HEAD';
  const body = isHeld ? heldPieces(whole, hold) : whole;
  if (isWhole(body)) {
    const sent = method === 'HEAD' ? undefined : body;
    const response = new Response((sent ?? null) as ConstructorParameters<typeof Response>[0], init);
    finished({ bytes: bytesOf(sent) ?? 0 });
    return response;
  }
  const pieces = counted(body, finished);
  if (method !== 'HEAD') return new Response(streamOf(pieces), init);
  // What is held for the body is given back.
  void pieces.return?.();
  return new Response(null, init);
}

/**
 * The pieces of a body as bytes; `finished` is told once how many were taken. A piece is made only when the one before has been
 * sent: slow clients cost no memory, and the work ends when a client disconnects. Not a generator: one that has not begun does not
 * notice that its reader has gone.
 */
function counted(body: BodyPieces, finished: Reply['finished']): AsyncIterableIterator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let bytes = 0;
  let isOver = false;
  const end = (error?: unknown) => {
    if (!isOver) finished(error === undefined ? { bytes } : { bytes, error });
    isOver = true;
    return { done: true as const, value: undefined };
  };
  const iterator: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (isOver) return end();
      try {
        const { done, value } = await pieces.next();
        if (done) return end();
        const piece = typeof value === 'string' ? Buffer.from(value) : value;
        bytes += piece.length;
        // Nothing of it is missing, so nobody waits for its maker.
        if (bytes === body.bytes) void iterator.return?.();
        return { done: false, value: piece };
      } catch (error) {
        end(error);
        throw error;
      }
    },
    async return() {
      try {
        await pieces.return?.();
      } catch (error) {
        return end(error);
      }
      return end();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

/** When a piece cannot be made, the stream fails and the connection is closed, so that no client takes the part for the whole. */
function streamOf(pieces: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch {
          // This message reaches the client, so it must not tell anything about the node.
          controller.error(new Error('The answer could not be completed'));
        }
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
