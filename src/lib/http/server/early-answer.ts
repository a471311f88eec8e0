import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../../clock.js';

/** How long the rest of a request body is still read after the answer, in ms. */
const LINGER_MS = 500;

/**
 * Adds `Connection: close` to answers that are sent before the body of their request has arrived (RFC 9112, section
 * 9.6): no further request can be read before the rest of that body. The connection is closed when the client has sent
 * everything, or after half a second; if it were closed at once, a client that is still sending would lose the answer.
 */
export function closeAfterEarlyAnswers(next: RequestListener, clock: Clock): RequestListener {
  return (incoming, outgoing) => {
    if (hasBody(incoming)) closeWhenEarly(incoming, outgoing, clock);
    next(incoming, outgoing);
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

function closeWhenEarly(incoming: IncomingMessage, outgoing: ServerResponse, clock: Clock): void {
  const { writeHead, end } = outgoing;
  let early = false;
  outgoing.writeHead = (...head: unknown[]) => {
    early = !incoming.complete;
    if (early) outgoing.shouldKeepAlive = false;
    return writeHead.apply(outgoing, head as Parameters<typeof writeHead>);
  };
  outgoing.end = (...rest: unknown[]) => {
    const [last] = rest;
    // A chunked body is complete only with its last chunk, which must not be delayed.
    if (!early || outgoing.chunkedEncoding) return end.apply(outgoing, rest as Parameters<typeof end>);
    if (typeof last === 'string' || last instanceof Uint8Array) outgoing.write(last);
    else outgoing.flushHeaders();
    void arrival(incoming, clock).then(() => Reflect.apply(end, outgoing, []));
    return outgoing;
  };
}

/** Resolves when the rest of the body has been read and dropped, or when that takes too long. */
async function arrival(incoming: IncomingMessage, clock: Clock): Promise<void> {
  const arrived = new AbortController();
  for (const event of ['end', 'error', 'close']) incoming.once(event, () => arrived.abort());
  // The handler that was reading the body has answered and does not need the rest.
  incoming.removeAllListeners('data');
  incoming.resume();
  if (incoming.readableEnded || incoming.destroyed) return;
  // `sleep` rejects when the body has arrived, which is not an error.
  await clock.sleep(LINGER_MS, arrived.signal).catch(() => undefined);
}
