import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as PulledStream } from 'node:stream/web';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Reply } from './answer.js';
import { type BodyPieces, bytesOf, isWhole } from './body.js';

/**
 * Begins a response. One that comes before the whole body of its request ends the connection, and says so (RFC 9112, section 9.6):
 * no further request can be read before the rest of that body. One whose headers cannot be sent closes the connection.
 * @returns why they cannot be sent, if so
 */
export function writeHead(
  outgoing: ServerResponse,
  status: number,
  headers: Reply['headers'] | string[],
): unknown {
  const { complete, headers: asked } = outgoing.req;
  // Node sets `complete` after the listener has been called, also for requests without a body (RFC 9112, section 6.3).
  if (!complete && (asked['transfer-encoding'] !== undefined || Number(asked['content-length'] ?? 0) !== 0))
    outgoing.shouldKeepAlive = false;
  try {
    outgoing.writeHead(status, headers as OutgoingHttpHeaders);
    return undefined;
  } catch (error) {
    outgoing.destroy();
    return error;
  }
}

/** Sends a reply by `node:http`. A body that cannot be completed closes the connection, so that the client notices. */
export function sendReply({ status, headers, body, hold, finished }: Reply, outgoing: ServerResponse): void {
  const error = writeHead(outgoing, status, headers);
  if (error !== undefined) finished({ bytes: 0, error });
  else if (isWhole(body)) {
    holdUntilSent(hold, outgoing);
    outgoing.end(body);
    finished({ bytes: bytesOf(body) ?? 0 });
    // Why it failed, `finished` is told.
  } else pipeline(Readable.from(counted(body, finished)), outgoing).catch(() => undefined);
}

/** Holds what a body is made of until the response has been sent, or its reader has gone. */
export function holdUntilSent(hold: Reply['hold'], outgoing: ServerResponse): void {
  // On a connection that has closed already, there is no `close` that would give it back.
  if (hold && !outgoing.req.socket.destroyed) outgoing.once('close', hold());
}

/**
 * Answers a request that a router of hono has handled: on its connection, or where there is none, by a response of the Fetch
 * standard.
 */
export function respond(reply: Reply, method: string, outgoing: ServerResponse | undefined): Response {
  const wanted = method === 'HEAD' ? withoutBody(reply) : reply;
  if (outgoing) {
    sendReply(wanted, outgoing);
    return RESPONSE_ALREADY_SENT;
  }
  const { status, headers, body, hold, finished } = wanted;
  if (isWhole(body) && !hold) {
    finished({ bytes: bytesOf(body) ?? 0 });
    return new Response((body ?? null) as ResponseBody, { status, headers });
  }
  const release = hold?.();
  const pieces = counted(isWhole(body) ? inOnePiece(body ?? '') : body, (end) => {
    release?.();
    finished(end);
  });
  return new Response(PulledStream.from(pieces) as ResponseBody, { status, headers });
}

type ResponseBody = ConstructorParameters<typeof Response>[0];

/** So that it is noticed when the reader has all of it, or has gone. */
async function* inOnePiece(body: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield body;
}

/** The answer to HEAD. Nobody takes the pieces of its body: what is held for them is given back, and `finished` told then. */
function withoutBody(reply: Reply): Reply {
  const head = { ...reply, body: undefined, hold: undefined };
  if (isWhole(reply.body)) return head;
  void counted(reply.body, reply.finished).return?.();
  return { ...head, finished: () => undefined };
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
    return: async () => (pieces.return?.() ?? Promise.resolve()).then(() => end(), end),
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
