import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.js';
import type { Pace } from '../../pace.js';

/** How long what a client still sends is read and dropped after the answer, in ms. */
export const LINGER_MS = 500;

interface Given {
  readonly clock: Clock;
  readonly pace: Pace;
}

/**
 * The response class of a server. An answer of known length ends with its last byte, and not only when whoever makes it is done:
 * the client may send its next request at once. It adds `Connection: close` to answers that are sent before the body of their request
 * has arrived (RFC 9112, section 9.6): no further request can be read before the rest of that body. The connection is
 * closed when the client has sent everything, or after half a second; if it were closed at once, a client that is still
 * sending would lose the answer. This is a class, because replacing the methods of each response object would cost every
 * request several microseconds.
 */
export function earlyAnswerResponse(given: Given): typeof ServerResponse<IncomingMessage> {
  return class EarlyAnswerResponse extends ServerResponse<IncomingMessage> {
    #early = false;
    #head: readonly unknown[] = [];
    /** Bytes of the body that have not been written; NaN where its length is not known. */
    #left: number | undefined;

    override writeHead(...head: unknown[]): this {
      this.#head = head;
      // Node sets `complete` after the listener has been called, also for requests without a body.
      this.#early = !this.req.complete && hasBody(this.req);
      if (this.#early) this.shouldKeepAlive = false;
      return Reflect.apply(super.writeHead, this, head);
    }

    override write(piece: string | Uint8Array, ...rest: unknown[]): boolean {
      this.#left = (this.#left ?? lengthIn(this.#head)) - Buffer.byteLength(piece);
      if (this.#left !== 0) return Reflect.apply(super.write, this, [piece, ...rest]);
      this.end(piece);
      return true;
    }

    override end(...rest: unknown[]): this {
      // A chunked body is complete only with its last chunk, which must not be delayed.
      if (!this.#early || this.chunkedEncoding) return Reflect.apply(super.end, this, rest);
      const [last] = rest;
      if (typeof last === 'string' || last instanceof Uint8Array) Reflect.apply(super.write, this, [last]);
      else this.flushHeaders();
      void arrival(this.req, given).then(() => Reflect.apply(super.end, this, []));
      return this;
    }
  };
}

/** What `writeHead` was told of the length of the body; NaN when nothing. */
function lengthIn(head: readonly unknown[]): number {
  const headers = head.at(-1);
  return Number(Object(headers)['content-length']);
}

/** Does a body follow (RFC 9112, section 6.3)? */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/** Resolves when the rest of the body has been read and dropped, or when that takes too long. */
async function arrival(incoming: IncomingMessage, { clock, pace }: Given): Promise<void> {
  const arrived = new AbortController();
  for (const event of ['end', 'error', 'close']) incoming.once(event, () => arrived.abort());
  // The handler that was reading the body has answered and does not need the rest.
  incoming.removeAllListeners('data');
  dropPieceByPiece(incoming, pace);
  if (incoming.readableEnded || incoming.destroyed) return;
  // `sleep` rejects when the body has arrived, which is not an error.
  await clock.sleep(LINGER_MS, arrived.signal).catch(() => undefined);
}

/**
 * Reads the rest of a body and drops it, no more than one or two pieces of 64 kB in a turn of the event loop, of all such
 * requests together. Read as fast as it comes, it would be 2 MB in a turn, for each of the requests.
 */
function dropPieceByPiece(incoming: IncomingMessage, pace: Pace): void {
  const breathe = pace(0);
  incoming.on('data', async () => {
    incoming.pause();
    await breathe();
    incoming.resume();
  });
  incoming.resume();
}
