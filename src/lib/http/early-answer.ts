import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';

/** How long the rest of a body is still read after its answer, in ms. */
const LINGER_MS = 500;

/**
 * The responses of a server. One that is given before the body of its request has arrived says `Connection: close`
 * (RFC 9112, section 9.6): the rest of the body stands between this request and the next one. The connection is closed
 * only when the client has sent everything, or after half a second: a client that is still sending would lose the
 * answer. A class, because methods that are replaced on each response would cost every request several microseconds.
 */
export function earlyAnswerResponse(clock: Clock): typeof ServerResponse<IncomingMessage> {
  return class EarlyAnswerResponse extends ServerResponse<IncomingMessage> {
    #early = false;

    override writeHead(...head: unknown[]): this {
      // Node sets `complete` after the listener has been called, also for requests without a body.
      this.#early = !this.req.complete && hasBody(this.req);
      if (this.#early) this.shouldKeepAlive = false;
      return Reflect.apply(super.writeHead, this, head);
    }

    override end(...rest: unknown[]): this {
      // The end of a body without announced length is what its reader waits for.
      if (!this.#early || this.chunkedEncoding) return Reflect.apply(super.end, this, rest);
      const [last] = rest;
      if (typeof last === 'string' || last instanceof Uint8Array) this.write(last);
      else this.flushHeaders();
      void arrival(this.req, clock).then(() => Reflect.apply(super.end, this, []));
      return this;
    }
  };
}

/** Does a body follow (RFC 9112, section 6.3)? */
function hasBody({ rawHeaders }: IncomingMessage): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') return Number(rawHeaders[i + 1]) !== 0;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

/** Resolves when the rest of the body has arrived and been thrown away, or when it has taken too long. */
async function arrival(incoming: IncomingMessage, clock: Clock): Promise<void> {
  const arrived = new AbortController();
  for (const event of ['end', 'error', 'close']) incoming.once(event, () => arrived.abort());
  // Who read the body until now has no use for the rest.
  incoming.removeAllListeners('data');
  incoming.resume();
  if (incoming.readableEnded || incoming.destroyed) return;
  // The sleep ends early when the body has arrived, and that is no fault.
  await clock.sleep(LINGER_MS, arrived.signal).catch(() => undefined);
}
