import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.js';
import type { Pace } from '../../pace.js';

/** How long what a client still sends is read and dropped after the answer, in ms. */
export const LINGER_MS = 500;

interface Given {
  readonly clock: Clock;
  readonly pace: Pace;
  /** How long a client may take nothing of what waits for it, in ms; then its connection is closed. */
  readonly sendMs: number;
}

/**
 * The response class of a server. It adds `Connection: close` to answers that are sent before the body of their request
 * has arrived (RFC 9112, section 9.6): no further request can be read before the rest of that body. The connection is
 * closed when the client has sent everything, or after half a second; if it were closed at once, a client that is still
 * sending would lose the answer. And it bounds how long bytes wait for a client that takes none: only where some have to
 * wait is there a timer. This is a class, because replacing the methods of each response object would cost every request
 * several microseconds.
 */
export function serverResponseClass(given: Given): typeof ServerResponse<IncomingMessage> {
  return class extends ServerResponse<IncomingMessage> {
    #early = false;

    override writeHead(...head: unknown[]): this {
      // Node sets `complete` after the listener has been called, also for requests without a body.
      this.#early = !this.req.complete && hasBody(this.req);
      if (this.#early) this.shouldKeepAlive = false;
      return Reflect.apply(super.writeHead, this, head);
    }

    override write(...piece: unknown[]): boolean {
      const isTaken = Reflect.apply(super.write, this, piece);
      if (!isTaken && this.#limitWait()) this.once('drain', () => this.socket?.setTimeout(0));
      return isTaken;
    }

    override end(...rest: unknown[]): this {
      // A chunked body is complete only with its last chunk, which must not be delayed.
      if (!this.#early || this.chunkedEncoding) Reflect.apply(super.end, this, rest);
      else {
        const [last] = rest;
        if (typeof last === 'string' || last instanceof Uint8Array) Reflect.apply(super.write, this, [last]);
        else this.flushHeaders();
        void arrival(this.req, given).then(() => Reflect.apply(super.end, this, []));
      }
      // Once all is sent, `node:http` sets the time for which the connection is kept.
      this.#limitWait();
      return this;
    }

    /** Has the connection closed, by `node:http`, when nothing of what waits is taken for too long. Does anything wait? */
    #limitWait(): boolean {
      const waits = (this.socket?.writableLength ?? 0) > 0;
      if (waits) this.socket?.setTimeout(given.sendMs);
      return waits;
    }
  };
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
